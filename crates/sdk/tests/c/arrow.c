/* Tests of qeval_arrow.h: columns at offsets, nulls, empty columns, and who releases what. */
#undef NDEBUG
#include <assert.h>

#include "qeval_arrow.h"

static int releases = 0;

static void release_array(struct ArrowArray *array) {
  releases++;
  array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
  releases++;
  schema->release = NULL;
}

static struct ArrowArray array_of(int64_t length, int64_t offset, int64_t n_buffers,
                                  const void **buffers, int64_t n_children,
                                  struct ArrowArray **children) {
  struct ArrowArray array;
  memset(&array, 0, sizeof array);
  array.length = length;
  array.null_count = -1;
  array.offset = offset;
  array.n_buffers = n_buffers;
  array.buffers = buffers;
  array.n_children = n_children;
  array.children = children;
  array.release = release_array;
  return array;
}

static struct ArrowSchema schema_of(const char *name, const char *format, int64_t n_children,
                                    struct ArrowSchema **children) {
  struct ArrowSchema schema;
  memset(&schema, 0, sizeof schema);
  schema.format = format;
  schema.name = name;
  schema.n_children = n_children;
  schema.children = children;
  schema.release = release_schema;
  return schema;
}

static bool is(QevalText text, const char *expected) {
  if (expected == NULL) return text.bytes == NULL && text.length == 0;
  return text.bytes != NULL && text.length == strlen(expected) &&
         memcmp(text.bytes, expected, text.length) == 0;
}

/* Two rows of a batch with offset 1; its columns have offsets of their own. */
static void columns_are_read_at_offsets(void) {
  /* Text: offset 2, so that row 0 is at 3. At 4 it is null. */
  static const uint8_t text_bits[] = {0x0F};
  static const int32_t text_offsets[] = {0, 1, 2, 3, 6, 6};
  const void *text_buffers[] = {text_bits, text_offsets, "abcdef"};
  struct ArrowArray text = array_of(3, 2, 3, text_buffers, 0, NULL);
  /* Numbers without nulls: offset 0, so that row 0 is at 1. */
  static const double numbers[] = {0.5, 1.5, 2.5};
  const void *number_buffers[] = {NULL, numbers};
  struct ArrowArray number = array_of(3, 0, 2, number_buffers, 0, NULL);
  /* Booleans: offset 7, so that the rows are at 8 and 9, in the second byte. */
  static const uint8_t bool_bits[] = {0x00, 0x01}, bool_values[] = {0x00, 0x03};
  const void *bool_buffers[] = {bool_bits, bool_values};
  struct ArrowArray flag = array_of(3, 7, 2, bool_buffers, 0, NULL);
  static const int64_t longs[] = {1, INT64_MIN, 3};
  const void *long_buffers[] = {NULL, longs};
  struct ArrowArray wide = array_of(3, 0, 2, long_buffers, 0, NULL);
  static const int32_t ints[] = {1, -7, 3};
  const void *int_buffers[] = {NULL, ints};
  struct ArrowArray narrow = array_of(3, 0, 2, int_buffers, 0, NULL);
  /* Lists of texts whose elements are sliced, too: element e is at 1 + e. */
  static const uint8_t element_bits[] = {0x3D};
  static const int32_t element_offsets[] = {0, 1, 1, 3, 3, 4, 6};
  const void *element_buffers[] = {element_bits, element_offsets, "xyzuvw"};
  struct ArrowArray elements = array_of(5, 1, 3, element_buffers, 0, NULL);
  struct ArrowArray *list_children[] = {&elements};
  static const int32_t list_offsets[] = {0, 0, 3, 5};
  const void *list_buffers[] = {NULL, list_offsets};
  struct ArrowArray list = array_of(3, 0, 2, list_buffers, 1, list_children);

  struct ArrowArray *children[] = {&text, &number, &flag, &wide, &narrow, &list};
  const void *batch_buffers[] = {NULL};
  struct ArrowArray batch = array_of(2, 1, 1, batch_buffers, 6, children);
  struct ArrowSchema item = schema_of("item", "u", 0, NULL);
  struct ArrowSchema *items[] = {&item};
  struct ArrowSchema fields[] = {
      schema_of("text", "u", 0, NULL),  schema_of("number", "g", 0, NULL),
      schema_of("flag", "b", 0, NULL),  schema_of("wide", "l", 0, NULL),
      schema_of("narrow", "i", 0, NULL), schema_of("list", "+l", 1, items)};
  struct ArrowSchema *field_places[] = {&fields[0], &fields[1], &fields[2],
                                        &fields[3], &fields[4], &fields[5]};
  struct ArrowSchema schema = schema_of("", "+s", 6, field_places);

  QevalColumn column, row;
  assert(qeval_column(&batch, &schema, "text", "u", &column) && column.length == 2);
  assert(is(qeval_text(&column, 0), "def") && !qeval_is_null(&column, 0));
  assert(is(qeval_text(&column, 1), NULL) && qeval_is_null(&column, 1));
  assert(qeval_column(&batch, &schema, "number", "g", &column));
  assert(qeval_number(&column, 0) == 1.5 && qeval_number(&column, 1) == 2.5);
  assert(qeval_column(&batch, &schema, "flag", "b", &column));
  assert(qeval_bool(&column, 0) && !qeval_is_null(&column, 0));
  assert(!qeval_bool(&column, 1) && qeval_is_null(&column, 1));
  assert(qeval_column(&batch, &schema, "wide", "l", &column));
  assert(qeval_integer(&column, 0) == INT64_MIN && qeval_integer(&column, 1) == 3);
  assert(qeval_column(&batch, &schema, "narrow", "i", &column));
  assert(qeval_integer(&column, 0) == -7 && qeval_integer(&column, 1) == 3);
  assert(qeval_column(&batch, &schema, "list", "+l", &column));
  assert(qeval_is_list_of(&column, "u") && !qeval_is_list_of(&column, "g"));
  assert(qeval_list(&column, 0, &row) && row.length == 3);
  assert(is(qeval_text(&row, 0), NULL) && is(qeval_text(&row, 1), "yz"));
  assert(is(qeval_text(&row, 2), ""));
  assert(qeval_list(&column, 1, &row) && row.length == 2);
  assert(is(qeval_text(&row, 0), "u") && is(qeval_text(&row, 1), "vw"));

  assert(!qeval_column(&batch, &schema, "other", "u", &column));
  assert(!qeval_column(&batch, &schema, "text", "g", &column));
  batch.length = 3; /* more rows than its columns have */
  assert(!qeval_column(&batch, &schema, "text", "u", &column));

  releases = 0;
  qeval_release(&batch, &schema);
  qeval_release(&batch, &schema);
  assert(releases == 2);
}

static void a_column_without_rows_has_no_buffers(void) {
  const void *buffers[] = {NULL, NULL, NULL};
  struct ArrowArray text = array_of(0, 0, 3, buffers, 0, NULL);
  struct ArrowArray *children[] = {&text};
  struct ArrowArray batch = array_of(0, 0, 1, buffers, 1, children);
  struct ArrowSchema field = schema_of("text", "u", 0, NULL);
  struct ArrowSchema *fields[] = {&field};
  struct ArrowSchema schema = schema_of("", "+s", 1, fields);
  QevalColumn column;
  assert(qeval_column(&batch, &schema, "text", "u", &column) && column.length == 0);
}

static void what_was_made_can_be_read(void) {
  enum { ROWS = 1000 }; /* so many that buffers grow */
  QevalOutput outputs[2] = {qeval_numbers("score"), qeval_texts("score.unscored")};
  for (int i = 0; i < ROWS; i++) {
    char text[16];
    int length = snprintf(text, sizeof text, "row %d", i);
    bool third = i % 3 == 0;
    assert(third ? qeval_add_null(&outputs[0]) : qeval_add_number(&outputs[0], i / 8.0));
    assert(third ? qeval_add_text(&outputs[1], text, (size_t)length) : qeval_add_null(&outputs[1]));
  }
  struct ArrowArray array;
  struct ArrowSchema schema;
  assert(!qeval_answer(outputs, 2, ROWS + 1, &array, &schema));
  assert(qeval_answer(outputs, 2, ROWS, &array, &schema));
  qeval_free(outputs, 2);
  assert(array.length == ROWS && array.null_count == 0 && strcmp(schema.format, "+s") == 0);
  assert(array.children[0]->null_count == 334 && array.children[1]->null_count == 666);
  assert(schema.children[0]->flags == ARROW_FLAG_NULLABLE);

  QevalColumn scores, reasons;
  assert(qeval_column(&array, &schema, "score", "g", &scores));
  assert(qeval_column(&array, &schema, "score.unscored", "u", &reasons));
  for (int i = 0; i < ROWS; i++) {
    char text[16];
    snprintf(text, sizeof text, "row %d", i);
    bool third = i % 3 == 0;
    assert(qeval_is_null(&scores, i) == third && qeval_number(&scores, i) == (third ? 0 : i / 8.0));
    assert(is(qeval_text(&reasons, i), third ? text : NULL));
  }
  /* A consumer moves a column out and keeps it longer than the batch. */
  struct ArrowArray moved = *array.children[0];
  array.children[0]->release = NULL;
  qeval_release(&array, &schema);
  assert(array.release == NULL && schema.release == NULL);
  assert(((const double *)moved.buffers[1])[1] == 1 / 8.0);
  moved.release(&moved);
  assert(moved.release == NULL);
}

static void an_answer_may_have_no_rows(void) {
  QevalOutput outputs[2] = {qeval_numbers("a"), qeval_texts("b")};
  struct ArrowArray array;
  struct ArrowSchema schema;
  assert(qeval_answer(outputs, 2, 0, &array, &schema));
  qeval_free(outputs, 2);
  assert(array.length == 0 && array.n_children == 2 && array.children[1]->n_buffers == 3);
  assert(((const int32_t *)array.children[1]->buffers[1])[0] == 0);
  qeval_release(&array, &schema);
}

static void outputs_that_are_not_taken_are_freed(void) {
  QevalOutput outputs[2] = {qeval_numbers("a"), qeval_texts("b")};
  assert(qeval_add_number(&outputs[0], 1.0) && qeval_add_text(&outputs[1], "", 0));
  qeval_free(outputs, 2);
  qeval_free(outputs, 2);
}

static void errors_are_cut_between_characters(void) {
  uint8_t bytes[600];
  QevalError error = {bytes, 5, 0};
  assert(qeval_fail(&error, QEVAL_STATUS_VALUE, "%s %d", "row", 7) == QEVAL_STATUS_VALUE);
  assert(error.length == 5 && memcmp(bytes, "row 7", 5) == 0);
  assert(qeval_fail(&error, QEVAL_STATUS_REFUSED, "abc\xE2\x82\xAC") == QEVAL_STATUS_REFUSED);
  assert(error.length == 3 && memcmp(bytes, "abc", 3) == 0);
  error.capacity = 0;
  qeval_fail(&error, QEVAL_STATUS_REFUSED, "abc");
  assert(error.length == 0);
  qeval_fail(NULL, QEVAL_STATUS_REFUSED, "abc");
  /* Longer than what can be formatted, of characters of three bytes. */
  char text[1000];
  for (size_t start = 0; start < 3; start++) {
    memset(text, 'x', 3);
    for (size_t i = 0; i < 300; i++) memcpy(text + start + 3 * i, "\xE2\x82\xAC", 4);
    error.capacity = sizeof bytes;
    qeval_fail(&error, QEVAL_STATUS_REFUSED, "%s", text);
    assert(error.length > 500 && (error.length - start) % 3 == 0);
  }
}

int main(void) {
  columns_are_read_at_offsets();
  a_column_without_rows_has_no_buffers();
  what_was_made_can_be_read();
  an_answer_may_have_no_rows();
  outputs_that_are_not_taken_are_freed();
  errors_are_cut_between_characters();
  return 0;
}
