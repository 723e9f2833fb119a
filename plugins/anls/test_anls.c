/* Tests of the plugin as qeval uses it: the library is opened, and batches go through its table.
 *
 *   test_anls LIBRARY GOLDEN
 *
 * Batches are of the Arrow C data interface, made here by hand, so that they can have offsets, nulls and
 * missing buffers, and so that it is counted how often each of their parts is released. */
#undef NDEBUG
#include <assert.h>
#include <dlfcn.h>
#include <math.h>

#include "distance.h"
#include "lower.h"
#include "qeval_arrow.h"

static const QevalTable *table;

/* ---- Batches ---- */

enum { MOST_REFERENCES = 8 };

/* A row as it is written in a test. */
typedef struct {
  const char *prediction;                  /* NULL: null */
  const char *references[MOST_REFERENCES]; /* up to the first NULL */
} Row;

/* A batch with all that it points to, and how often its parts were released. */
typedef struct {
  struct ArrowArray batch, columns[3], elements;
  struct ArrowSchema schema, fields[3], element;
  struct ArrowArray *column_places[3], *element_place;
  struct ArrowSchema *field_places[3], *element_field;
  const void *buffers[5][3];
  uint8_t *bits;
  int32_t *answer_offsets, *list_offsets, *text_offsets;
  char *answers, *texts;
  int arrays, schemas;
} Batch;

/* Only the struct on top is released by who gets it; that one releases its parts. */
static void count_array(struct ArrowArray *array) {
  ((Batch *)array->private_data)->arrays++;
  array->release = NULL;
}

static void count_schema(struct ArrowSchema *schema) {
  ((Batch *)schema->private_data)->schemas++;
  schema->release = NULL;
}

static void no_array(struct ArrowArray *array) {
  (void)array;
  assert(!"a part of a batch is released by the batch");
}

static void no_schema(struct ArrowSchema *schema) {
  (void)schema;
  assert(!"a part of a schema is released by the schema");
}

static void set_array(Batch *b, struct ArrowArray *array, int place, int64_t length, int64_t offset,
                      int64_t n_buffers) {
  array->length = length;
  array->null_count = -1;
  array->offset = offset;
  array->n_buffers = n_buffers;
  array->buffers = b->buffers[place];
  array->release = no_array;
  array->private_data = b;
}

static void set_schema(Batch *b, struct ArrowSchema *schema, const char *name, const char *format) {
  schema->name = name;
  schema->format = format;
  schema->flags = ARROW_FLAG_NULLABLE;
  schema->release = no_schema;
  schema->private_data = b;
}

static void append(char **bytes, int32_t *end, const char *text) {
  size_t length = strlen(text);
  *bytes = (char *)realloc(*bytes, (size_t)*end + length + 1);
  assert(*bytes != NULL);
  memcpy(*bytes + *end, text, length);
  *end += (int32_t)length;
}

/* Rows in a batch whose struct, columns and elements begin at these offsets. What is before them is
 * rubbish that must not be read as a row. */
static Batch *new_batch(const Row *rows, int64_t count, int64_t outer, int64_t inner) {
  Batch *b = (Batch *)calloc(1, sizeof(Batch));
  int64_t before = outer + inner, places = before + count, elements = inner;
  for (int64_t i = 0; i < count; i++) {
    for (int j = 0; rows[i].references[j] != NULL; j++) elements++;
  }
  b->bits = (uint8_t *)calloc((size_t)places / 8 + 1, 1);
  b->answer_offsets = (int32_t *)calloc((size_t)places + 1, sizeof(int32_t));
  b->list_offsets = (int32_t *)calloc((size_t)places + 1, sizeof(int32_t));
  b->text_offsets = (int32_t *)calloc((size_t)elements + 1, sizeof(int32_t));
  int32_t answer_end = 0, text_end = 0, element = 0;
  for (int64_t i = 0; i < inner; i++) {
    append(&b->texts, &text_end, "rubbish");
    b->text_offsets[i + 1] = text_end;
  }
  for (int64_t i = 0; i < places; i++) {
    const Row *row = i < before ? NULL : &rows[i - before];
    const char *answer = row == NULL ? "rubbish" : row->prediction;
    if (answer != NULL) {
      append(&b->answers, &answer_end, answer);
      b->bits[i / 8] |= (uint8_t)(1u << (i % 8));
    }
    b->answer_offsets[i + 1] = answer_end;
    for (int j = 0; row != NULL && row->references[j] != NULL; j++) {
      append(&b->texts, &text_end, row->references[j]);
      b->text_offsets[inner + ++element] = text_end;
    }
    b->list_offsets[i + 1] = element;
  }
  /* In the order of the specification: the id, the answer, the references. */
  const char *names[] = {"example_id", "prediction", "references"};
  const char *formats[] = {"u", "u", "+l"};
  for (int i = 0; i < 3; i++) {
    set_array(b, &b->columns[i], i, outer + count, inner, i == 2 ? 2 : 3);
    set_schema(b, &b->fields[i], names[i], formats[i]);
    b->column_places[i] = &b->columns[i];
    b->field_places[i] = &b->fields[i];
    b->buffers[i][1] = i == 2 ? b->list_offsets : b->answer_offsets;
    b->buffers[i][2] = b->answers;
  }
  b->buffers[1][0] = b->bits;
  set_array(b, &b->elements, 3, element, inner, 3);
  set_schema(b, &b->element, "item", "u");
  b->buffers[3][1] = b->text_offsets;
  b->buffers[3][2] = b->texts;
  b->element_place = &b->elements;
  b->element_field = &b->element;
  b->columns[2].n_children = b->fields[2].n_children = 1;
  b->columns[2].children = &b->element_place;
  b->fields[2].children = &b->element_field;
  set_array(b, &b->batch, 4, count, outer, 1);
  set_schema(b, &b->schema, "", "+s");
  b->batch.n_children = b->schema.n_children = 3;
  b->batch.children = b->column_places;
  b->schema.children = b->field_places;
  b->batch.release = count_array;
  b->schema.release = count_schema;
  return b;
}

/* The inputs were released, once, whatever the status was. */
static void end_batch(Batch *b) {
  assert(b->arrays == 1 && b->schemas == 1);
  free(b->bits);
  free(b->answer_offsets);
  free(b->list_offsets);
  free(b->text_offsets);
  free(b->answers);
  free(b->texts);
  free(b);
}

/* ---- Calls ---- */

static uint8_t message[256];

static void *new_instance(const char *setup) {
  QevalError error = {message, sizeof message, 0};
  void *instance = NULL;
  int32_t status = table->create((const uint8_t *)setup, strlen(setup), &instance, &error);
  if (status != QEVAL_STATUS_OK) printf("%.*s\n", (int)error.length, (const char *)message);
  assert(status == QEVAL_STATUS_OK && instance != NULL && error.length == 0);
  return instance;
}

static void *with_threshold(double threshold) {
  char setup[256];
  snprintf(setup, sizeof setup,
           "{\"component\":\"scorer\",\"options\":{},\"metrics\":[{\"column\":\"anls\",\"name\":"
           "\"anls\",\"parameters\":{\"threshold\":%.17g}}]}",
           threshold);
  return new_instance(setup);
}

/* The answer to a batch. */
typedef struct {
  struct ArrowArray array;
  struct ArrowSchema schema;
} Answer;

static Answer ask(void *instance, Batch *b) {
  QevalError error = {message, sizeof message, 0};
  Answer answer;
  memset(&answer, 0xAA, sizeof answer); /* qeval leaves nothing of use in them */
  int64_t rows = b->batch.length;
  int32_t status =
      table->call(instance, &b->batch, &b->schema, &answer.array, &answer.schema, &error);
  assert(status == QEVAL_STATUS_OK && error.length == 0);
  assert(answer.array.length == rows && answer.array.offset == 0);
  end_batch(b);
  return answer;
}

static void end_answer(Answer *answer) {
  qeval_release(&answer->array, &answer->schema);
  assert(answer->array.release == NULL && answer->schema.release == NULL);
}

/* One score of a column; NAN where it is null, and then with the reason. */
static double score_in(const Answer *answer, const char *column, int64_t row) {
  char name[128];
  QevalColumn scores, reasons;
  snprintf(name, sizeof name, "%s.unscored", column);
  assert(qeval_column(&answer->array, &answer->schema, column, "g", &scores));
  assert(qeval_column(&answer->array, &answer->schema, name, "u", &reasons));
  QevalText reason = qeval_text(&reasons, row);
  if (!qeval_is_null(&scores, row)) {
    assert(reason.bytes == NULL);
    return qeval_number(&scores, row);
  }
  assert(reason.length == 12 && memcmp(reason.bytes, "no reference", 12) == 0);
  return NAN;
}

static double score(double threshold, const char *prediction, const char *a, const char *b) {
  Row row = {prediction, {a, b}};
  void *instance = with_threshold(threshold);
  Answer answer = ask(instance, new_batch(&row, 1, 0, 0));
  double value = score_in(&answer, "anls", 0);
  end_answer(&answer);
  table->destroy(instance);
  return value;
}

/* ---- Tests ---- */

static void the_table_says_what_it_is(void) {
  assert(table->magic == QEVAL_MAGIC && memcmp(&table->magic, "qevalplg", 8) == 0);
  assert(table->abi_major == 1 && table->abi_minor == 1 && table->reserved == 0);
  assert(table->struct_size == sizeof(QevalTable) && table->finish == NULL);
  assert(table->descriptor[0] == '{' && table->descriptor[table->descriptor_length - 1] == '}');
  assert(memchr(table->descriptor, 0, table->descriptor_length) == NULL);
}

static void answers_are_compared_letter_by_letter(void) {
  assert(score(0.5, "coca cola", "coca cola", NULL) == 1.0);
  assert(score(0.5, "coca-cola", "coca cola", NULL) == 1.0 - 1.0 / 9.0);
  assert(score(0.5, "coca cola", "cola", "coca cola company") == 1.0 - 8.0 / 17.0);
  assert(score(0.5, "nothing alike", "coca cola", NULL) == 0.0);
  /* Blanks and cases of letters do not count. */
  assert(score(0.5, " \t COCA \xC2\xA0\n cola\xE3\x80\x80", "Coca Cola", NULL) == 1.0);
  assert(score(0.5, "\xC3\x9C\x62\x65r", "\xC3\xBC\x42\x45R", NULL) == 1.0);
  /* A letter is a code point: one of three bytes, or of four, counts once. */
  assert(score(0.5, "\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xB0", NULL) == 0.0);
  assert(score(0.6, "\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xB0", NULL) == 0.5);
  assert(score(0.6, "\xF0\x9F\x98\x80z", "\xF0\x9F\x98\x80y", NULL) == 0.5);
  /* Two texts without a letter are equal. */
  assert(score(0.5, " ", "", NULL) == 1.0);
  assert(score(0.5, "", "a", NULL) == 0.0);
}

static void the_threshold_is_not_near_enough(void) {
  assert(score(0.5, "ab", "ax", NULL) == 0.0);
  assert(score(0.5000001, "ab", "ax", NULL) == 0.5);
  assert(score(1.0, "abc", "xyz", NULL) == 0.0);
  assert(score(0.0, "ab", "ab", NULL) == 0.0);
}

static void what_is_missing_is_no_letter(void) {
  assert(score(0.5, NULL, "coca cola", NULL) == 0.0);
  assert(isnan(score(0.5, "coca cola", NULL, NULL)));
  assert(isnan(score(0.5, NULL, NULL, NULL)));
}

static void letters_have_one_case_without_a_locale(void) {
  assert(lower('A') == 'a' && lower('[') == '[' && lower('z') == 'z');
  assert(lower(0xC9) == 0xE9 && lower(0xD7) == 0xD7 && lower(0x178) == 0xFF);
  assert(lower(0x3A3) == 0x3C3 && lower(0x3C2) == 0x3C3 && lower(0x130) == 'i');
  assert(lower(0x416) == 0x436 && lower(0x401) == 0x451 && lower(0x10400) == 0x10428);
  assert(lower(0x100) == 0x101 && lower(0x101) == 0x101 && lower(0x10FFFF) == 0x10FFFF);
}

/* What `distance` must give: the table of Levenshtein, whole. */
static size_t plain_distance(const uint32_t *a, size_t a_length, const uint32_t *b, size_t b_length) {
  size_t row[401];
  for (size_t j = 0; j <= b_length; j++) row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t changed = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      size_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = changed < moved ? changed : moved;
    }
  }
  return row[b_length];
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

static void distances_are_those_of_the_whole_table(void) {
  uint32_t state = 7, a[400], b[400];
  int8_t deltas[400];
  for (int i = 0; i < 3000; i++) {
    /* Lengths on both sides of one and several blocks; few letters, or more than a block has. */
    size_t most = i % 3 == 0 ? 400 : 140, a_length = next_random(&state) % most;
    size_t b_length = i % 4 == 0 ? a_length : next_random(&state) % most;
    uint32_t letters = i % 2 == 0 ? 4 : 300;
    for (size_t j = 0; j < a_length; j++) a[j] = 1 + next_random(&state) % letters * 97;
    for (size_t j = 0; j < b_length; j++) {
      bool same = j < a_length && next_random(&state) % 4 != 0;
      b[j] = same ? a[j] : 1 + next_random(&state) % letters * 97;
    }
    assert(distance(a, a_length, b, b_length, deltas) == plain_distance(a, a_length, b, b_length));
  }
}

static void one_metric_may_be_there_twice(void) {
  void *instance = new_instance(
      " { \"metrics\" : [ {\"parameters\":{\"threshold\":3e-1},\"name\":\"anls\","
      "\"column\":\"anls(threshold=0.3)\"}, {\"column\":\"\\u00fc\\ud83d\\ude00\\n\\\"\",\"name\":\"a\\u006els\","
      "\"parameters\":{\"threshold\":1}} ], \"options\":{ }, \"component\":\"scorer\" }\n");
  Row rows[] = {{"abcd", {"abxy"}}, {"abcd", {NULL}}, {"abcdefghij", {"abcdefghix"}}};
  Answer answer = ask(instance, new_batch(rows, 3, 0, 0));
  const char *other = "\xC3\xBC\xF0\x9F\x98\x80\n\"";
  assert(answer.array.n_children == 4);
  assert(score_in(&answer, "anls(threshold=0.3)", 0) == 0.0);
  assert(score_in(&answer, other, 0) == 0.5);
  assert(isnan(score_in(&answer, "anls(threshold=0.3)", 1)) && isnan(score_in(&answer, other, 1)));
  assert(score_in(&answer, "anls(threshold=0.3)", 2) == 1.0 - 1.0 / 10.0);
  end_answer(&answer);
  table->destroy(instance);
}

static void batches_have_offsets(void) {
  Row rows[] = {{"aa", {"aa"}}, {NULL, {"aa"}}, {"", {"", "x"}}, {"ab", {NULL}}, {"abc", {"x", "abd"}}};
  void *instance = with_threshold(0.5);
  for (int64_t outer = 0; outer < 20; outer += 3) {
    for (int64_t inner = 0; inner < 20; inner += 5) {
      Answer answer = ask(instance, new_batch(rows, 5, outer, inner));
      assert(score_in(&answer, "anls", 0) == 1.0 && score_in(&answer, "anls", 1) == 0.0);
      assert(score_in(&answer, "anls", 2) == 1.0 && isnan(score_in(&answer, "anls", 3)));
      assert(score_in(&answer, "anls", 4) == 1.0 - 1.0 / 3.0);
      end_answer(&answer);
    }
  }
  table->destroy(instance);
}

static void a_batch_may_be_empty(void) {
  void *instance = with_threshold(0.5);
  Batch *b = new_batch(NULL, 0, 0, 0);
  for (int i = 0; i < 4; i++) b->buffers[i][0] = b->buffers[i][1] = b->buffers[i][2] = NULL;
  Answer answer = ask(instance, b);
  assert(answer.array.n_children == 2);
  end_answer(&answer);
  answer = ask(instance, new_batch(NULL, 0, 3, 2));
  end_answer(&answer);
  table->destroy(instance);
}

static void texts_may_be_huge(void) {
  size_t length = 3000000;
  char *huge = (char *)malloc(length + 1), *other = (char *)malloc(20001);
  memset(huge, 'a', length);
  huge[length] = 0;
  /* Far from a short reference by their lengths alone, and equal to themselves. */
  assert(score(0.5, huge, "short", NULL) == 0.0);
  assert(score(0.5, huge, "short", huge) == 1.0);
  /* As long, and different: all of the table. */
  huge[20000] = 0;
  for (int i = 0; i < 20000; i++) other[i] = i % 4 == 0 ? 'b' : 'a';
  other[20000] = 0;
  assert(score(0.5, huge, other, NULL) == 1.0 - 5000.0 / 20000.0);
  free(huge);
  free(other);
}

static void wrong_utf8_is_not_read_past_its_end(void) {
  assert(score(0.5, "ab\xF0", "ab\xF0", NULL) == 1.0);
  assert(score(0.5, "\xE6\x9D", "\x80\xFF", NULL) == 1.0);
}

/* Setups that are refused, and a part of what is said. */
static void wrong_setups_are_refused(void) {
#define METRIC(rest) "{\"component\":\"scorer\",\"options\":{},\"metrics\":[{" rest "}]}"
#define THRESHOLD(number) \
  METRIC("\"column\":\"a\",\"name\":\"anls\",\"parameters\":{\"threshold\":" number "}")
  static const char *const cases[][2] = {
      {"", "the setup ends, expected `{`"},
      {"{}", "lacks the key `component`"},
      {"[]", "the setup has `[]`, expected `{`"},
      {"{\"component\":\"reader\",\"options\":{},\"metrics\":[]}", "no component `reader`"},
      {"{\"component\":\"scorer\",\"options\":{},\"metrics\":[]}", "names no metric"},
      {THRESHOLD("1") " x", "`x`, expected its end"},
      {"{\"component\":\"scorer\",\"options\":{\"depth\":1},\"metrics\":[]}", "no option `depth`"},
      {"{\"component\":\"scorer\",\"component\":\"scorer\"}", "the key `component` twice"},
      {"{\"component\":\"scorer\",\"other\":1}", "unknown key `other`"},
      {"{\"component\":\"scorer\"", "the setup ends, expected `,`"},
      {"{\"component\":\"scor", "the setup ends, expected a text"},
      {"{\"component\":1}", "`1}`, expected `\"`"},
      {"{\"component\":\"sc\\x\"}", "expected a text"},
      {"{\"component\":\"\\u0000\"}", "expected a text"},
      {"{\"component\":\"\\ud800\"}", "expected a text"},
      {"{\"component\":\"\\udc00\"}", "expected a text"},
      {"{\"component\":\"\\u00", "expected a text"},
      {METRIC(""), "lacks the key `column`"},
      {METRIC("\"column\":\"a\",\"name\":\"f1\""), "no metric `f1`"},
      {METRIC("\"column\":\"a\",\"name\":\"anls\""), "lacks the key `parameters`"},
      {METRIC("\"column\":\"a\",\"name\":\"anls\",\"parameters\":{}"), "lacks the key `threshold`"},
      {METRIC("\"name\":\"anls\",\"parameters\":{\"tau\":1}"), "unknown key `tau`"},
      {THRESHOLD("1.5"), "`threshold` is 1.5, expected 0 to 1"},
      {THRESHOLD("-1"), "`threshold` is -1"},
      {THRESHOLD("1e999"), "`threshold` is inf"},
      {THRESHOLD("01"), "`1}}]}`, expected `,`"},
      {THRESHOLD("."), "expected a digit"},
      {THRESHOLD("1."), "expected a digit"},
      {THRESHOLD("1e"), "expected a digit"},
      {THRESHOLD("NaN"), "expected a digit"},
      {THRESHOLD("\"0.5\""), "expected a digit"},
      {THRESHOLD("null"), "expected a digit"},
      {THRESHOLD("0.0000000000000000000000000000000000000000000000000000000000000001"), "63 bytes"},
      {"{\"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2"
       "\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\":1}",
       "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC`"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    QevalError error = {message, sizeof message - 1, 0};
    size_t length = strlen(cases[i][0]);
    /* In a place of its own, so that a read behind the end is seen. */
    uint8_t *setup = (uint8_t *)malloc(length + (length == 0));
    memcpy(setup, cases[i][0], length);
    void *instance = NULL;
    int32_t status = table->create(setup, length, &instance, &error);
    message[error.length] = 0;
    if (status != QEVAL_STATUS_REFUSED || strstr((char *)message, cases[i][1]) == NULL) {
      printf("%s\n  status %d, `%s`, expected `%s`\n", cases[i][0], status, message, cases[i][1]);
      assert(!"a setup is not refused as it should be");
    }
    assert(instance == NULL);
    free(setup);
  }
}

/* Batches that are refused: they are released all the same, and nothing is written. */
static void wrong_batches_are_refused(void) {
  void *instance = with_threshold(0.5);
  Row row = {"a", {"a"}};
  for (int i = 0; i < 5; i++) {
    Batch *b = new_batch(&row, 1, 1, 1);
    if (i == 0) b->fields[1].name = "answer";
    if (i == 1) b->fields[1].format = "U";
    if (i == 2) b->element.format = "g";
    if (i == 3) b->columns[1].length = 1;
    if (i == 4) b->schema.format = "+l";
    QevalError error = {message, sizeof message, 0};
    struct ArrowArray array;
    struct ArrowSchema schema;
    memset(&array, 0xAA, sizeof array);
    memset(&schema, 0xAA, sizeof schema);
    struct ArrowArray before = array;
    int32_t status = table->call(instance, &b->batch, &b->schema, &array, &schema, &error);
    assert(status == QEVAL_STATUS_PROTOCOL && error.length > 0);
    assert(memcmp(&before, &array, sizeof array) == 0);
    end_batch(b);
  }
  table->destroy(instance);
}

/* Texts and scores of the package `anls`: threshold, score, prediction, references. */
static void scores_are_those_of_the_package(const char *path) {
  static char line[1 << 16];
  FILE *file = fopen(path, "r");
  assert(file != NULL);
  int compared = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#') continue;
    line[strcspn(line, "\n")] = 0;
    char *cells[8] = {NULL};
    int count = 0;
    for (char *at = line; at != NULL && count < 8; count++) {
      cells[count] = at;
      at = strchr(at, '\t');
      if (at != NULL) *at++ = 0;
    }
    assert(count >= 4 && count < 8);
    Row row = {cells[2], {cells[3], cells[4], cells[5], cells[6]}};
    void *instance = with_threshold(strtod(cells[0], NULL));
    Answer answer = ask(instance, new_batch(&row, 1, 0, 0));
    double got = score_in(&answer, "anls", 0), expected = strtod(cells[1], NULL);
    if (got != expected) printf("%s | %s: %.17g, expected %s\n", cells[2], cells[3], got, cells[1]);
    assert(got == expected);
    end_answer(&answer);
    table->destroy(instance);
    compared++;
  }
  fclose(file);
  assert(compared == 600);
}

int main(int count, char **arguments) {
  assert(count == 3);
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) printf("%s\n", dlerror());
  assert(library != NULL);
  void *symbol = dlsym(library, "qeval_plugin_entry_v1");
  assert(symbol != NULL);
  const QevalTable *(*entry)(void);
  memcpy(&entry, &symbol, sizeof entry);
  table = entry();

  the_table_says_what_it_is();
  letters_have_one_case_without_a_locale();
  distances_are_those_of_the_whole_table();
  answers_are_compared_letter_by_letter();
  the_threshold_is_not_near_enough();
  what_is_missing_is_no_letter();
  one_metric_may_be_there_twice();
  batches_have_offsets();
  a_batch_may_be_empty();
  texts_may_be_huge();
  wrong_utf8_is_not_read_past_its_end();
  wrong_setups_are_refused();
  wrong_batches_are_refused();
  scores_are_those_of_the_package(arguments[2]);
  table->destroy(NULL);
  printf("all tests of anls passed\n");
  return 0;
}
