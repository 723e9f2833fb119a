/* A plugin for qeval: how many words of a reference an answer has. */

#include "qeval_arrow.h"

static const char DESCRIPTOR[] =
    "{\"name\": \"{{name}}\", \"version\": \"0.1.0\","
    " \"summary\": \"Counts the words of references\","
    " \"thread_safe\": true, \"inputs\": [\"prediction\", \"references\"],"
    " \"metrics\": [{\"name\": \"overlap\","
    "  \"summary\": \"share of a reference's words that the answer has\","
    "  \"version\": \"1\", \"min\": 0.0, \"max\": 1.0, \"higher_is_better\": true,"
    "  \"subject\": \"answer\", \"estimator\": \"mean\"}],"
    " \"examples\": ["
    "  {\"prediction\": \"Three months\", \"references\": [\"three months\"], \"expected\": [1.0]},"
    "  {\"prediction\": \"months\", \"references\": [\"three months\"], \"expected\": [0.5]},"
    "  {\"prediction\": \"a week\", \"references\": [\"a month\", \"a week\"], \"expected\": [1.0]},"
    "  {\"prediction\": \"months\", \"references\": [], \"expected\": [null]}]}";

/* ---- The metric ---- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* The next word of a text, which is cut off from it; one without bytes at its end. */
static QevalText next_word(QevalText *text) {
  while (text->length > 0 && is_blank(*text->bytes)) text->bytes++, text->length--;
  QevalText word = {text->bytes, 0};
  while (text->length > 0 && !is_blank(*text->bytes)) text->bytes++, text->length--, word.length++;
  return word;
}

static bool has_word(QevalText text, QevalText word) {
  for (QevalText other = next_word(&text); other.length > 0; other = next_word(&text)) {
    size_t same = 0;
    if (other.length != word.length) continue;
    while (same < word.length && lower(other.bytes[same]) == lower(word.bytes[same])) same++;
    if (same == word.length) return true;
  }
  return false;
}

/* The share of the words of a reference that the answer has; below 0 where the reference has none. */
static double overlap(QevalText answer, QevalText reference) {
  size_t words = 0, found = 0;
  for (QevalText word = next_word(&reference); word.length > 0; word = next_word(&reference)) {
    words++;
    if (has_word(answer, word)) found++;
  }
  return words == 0 ? -1.0 : (double)found / (double)words;
}

/* ---- Batches ---- */

/* One row: the best reference counts. False when there is no memory. */
static bool add_row(QevalText answer, const QevalColumn *references, QevalOutput outputs[2]) {
  double best = -1.0;
  for (int64_t i = 0; i < references->length; i++) {
    QevalText reference = qeval_text(references, i);
    double share = reference.bytes == NULL ? -1.0 : overlap(answer, reference);
    if (share > best) best = share;
  }
  if (best < 0.0) {
    return qeval_add_null(&outputs[0]) && qeval_add_text(&outputs[1], "no reference", 12);
  }
  return qeval_add_number(&outputs[0], best) && qeval_add_null(&outputs[1]);
}

static int32_t answer(const struct ArrowArray *array, const struct ArrowSchema *schema,
                      struct ArrowArray *out_array, struct ArrowSchema *out_schema,
                      QevalError *error) {
  QevalColumn answers, references, list;
  if (!qeval_column(array, schema, "prediction", "u", &answers)) {
    return qeval_fail(error, QEVAL_STATUS_PROTOCOL, "the batch lacks `prediction: utf8`");
  }
  if (!qeval_column(array, schema, "references", "+l", &references) ||
      !qeval_is_list_of(&references, "u")) {
    return qeval_fail(error, QEVAL_STATUS_PROTOCOL, "the batch lacks `references: list<utf8>`");
  }
  QevalOutput outputs[2] = {qeval_numbers("overlap"), qeval_texts("overlap.unscored")};
  bool made = true;
  for (int64_t row = 0; row < answers.length && made; row++) {
    if (!qeval_list(&references, row, &list)) list.length = 0;
    made = add_row(qeval_text(&answers, row), &list, outputs);
  }
  made = made && qeval_answer(outputs, 2, answers.length, out_array, out_schema);
  qeval_free(outputs, 2);
  if (!made) return qeval_fail(error, QEVAL_STATUS_MEMORY, "no memory for the scores");
  return QEVAL_STATUS_OK;
}

/* ---- The table ---- */

/* The metric has no parameters, so all that can be asked of an instance is that one metric. */
static int32_t create(const uint8_t *setup, size_t length, void **instance, QevalError *error) {
  static const char NO_OPTIONS[] = "\"options\":{}";
  size_t size = sizeof NO_OPTIONS - 1;
  *instance = NULL;
  for (size_t at = 0; at + size <= length; at++) {
    if (memcmp(setup + at, NO_OPTIONS, size) == 0) return QEVAL_STATUS_OK;
  }
  return qeval_fail(error, QEVAL_STATUS_REFUSED, "the plugin takes no options");
}

static int32_t call(void *instance, struct ArrowArray *array, struct ArrowSchema *schema,
                    struct ArrowArray *out_array, struct ArrowSchema *out_schema,
                    QevalError *error) {
  (void)instance;
  int32_t status = answer(array, schema, out_array, out_schema, error);
  qeval_release(array, schema);
  return status;
}

static void destroy(void *instance) { (void)instance; }

static const QevalTable TABLE = {
    .magic = QEVAL_MAGIC,
    .struct_size = sizeof(QevalTable),
    .abi_major = QEVAL_INTERFACE_MAJOR,
    .abi_minor = QEVAL_INTERFACE_MINOR,
    .descriptor = (const uint8_t *)DESCRIPTOR,
    .descriptor_length = sizeof DESCRIPTOR - 1,
    .create = create,
    .call = call,
    .destroy = destroy,
};

const QevalTable *qeval_plugin_entry_v1(void) { return &TABLE; }
