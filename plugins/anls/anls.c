/* ANLS, the Average Normalized Levenshtein Similarity of ST-VQA and DocVQA, as a plugin for qeval.
 *
 * README.md says what is computed. distance.h has the distance, lower.h the lower case letters,
 * setup.h the JSON of the setup. Nothing is shared between calls but what `create` made, which does not
 * change, so the plugin may be called from several threads. */
#define _GNU_SOURCE /* strtod_l */

#include "distance.h"
#include "lower.h"
#include "qeval_arrow.h"
#include "setup.h"

static const char DESCRIPTOR[] =
    "{\"name\": \"anls\", \"version\": \"0.1.0\","
    " \"summary\": \"Compares texts letter by letter, and forgives a few\","
    " \"thread_safe\": true, \"inputs\": [\"prediction\", \"references\"],"
    " \"metrics\": [{\"name\": \"anls\","
    "  \"summary\": \"1 - normalised Levenshtein distance to the best reference; 0 from `threshold` on\","
    "  \"version\": \"1\", \"min\": 0.0, \"max\": 1.0, \"higher_is_better\": true,"
    "  \"subject\": \"answer\", \"estimator\": \"mean\", \"parameters\": [{\"name\": \"threshold\","
    "   \"summary\": \"the distance, as a share of the longer text, from which on the score is 0\","
    "   \"type\": \"number\", \"min\": 0.0, \"max\": 1.0, \"default\": 0.5}]}],"
    " \"examples\": ["
    "  {\"references\": [\"Coca Cola\"], \"prediction\": \" COCA  cola \", \"expected\": [1.0]},"
    "  {\"references\": [\"coca cola\"], \"prediction\": \"coca-cola\","
    "   \"expected\": [0.8888888888888888]},"
    "  {\"references\": [\"cola\", \"coca cola company\"], \"prediction\": \"coca cola\","
    "   \"expected\": [0.5294117647058824]},"
    "  {\"references\": [\"ab\"], \"prediction\": \"ax\", \"expected\": [0.0]},"
    "  {\"references\": [\"ab\"], \"prediction\": \"ax\", \"metrics\": [\"anls(threshold=0.75)\"],"
    "   \"expected\": [0.5]},"
    "  {\"references\": [\"\\u00dcBER\"], \"prediction\": \"\\u00fcber\", \"expected\": [1.0]},"
    "  {\"references\": [\"15 May\"], \"prediction\": null, \"expected\": [0.0]},"
    "  {\"references\": [], \"prediction\": \"15 May\", \"expected\": [null]}]}";

/* ---- Texts ---- */

/* A text as it is compared. */
typedef struct {
  uint32_t *points;
  size_t length, capacity;
} Text;

/* What a call needs while it runs. */
typedef struct {
  Text answer, reference;
  int8_t *deltas;
  size_t deltas_capacity;
} Scratch;

static void free_scratch(Scratch *scratch) {
  free(scratch->answer.points);
  free(scratch->reference.points);
  free(scratch->deltas);
}

/* What str.split() of Python takes for blanks. */
static bool is_blank(uint32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/* The next code point. The batch is UTF-8, as Arrow demands; what is not becomes U+FFFD, byte by byte,
 * and nothing is read behind the end. */
static uint32_t next_point(const uint8_t **at, const uint8_t *end) {
  uint32_t c = *(*at)++;
  if (c < 0x80) return c;
  int more = c >= 0xF0 && c < 0xF8 ? 3 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xC0 && c < 0xE0 ? 1 : 0;
  if (more == 0 || end - *at < more) return 0xFFFD;
  uint32_t point = c & (0x3Fu >> more);
  for (int i = 0; i < more; i++) {
    uint8_t byte = (*at)[i];
    if ((byte & 0xC0) != 0x80) return 0xFFFD;
    point = point << 6 | (byte & 0x3Fu);
  }
  *at += more;
  return point;
}

/* Code points in lower case, without blanks at the ends, and with one space for those in between. */
static bool normalise(QevalText text, Text *normal) {
  if (text.length > normal->capacity) {
    uint32_t *points = (uint32_t *)realloc(normal->points, text.length * sizeof(uint32_t));
    if (points == NULL) return false;
    normal->points = points;
    normal->capacity = text.length;
  }
  const uint8_t *at = (const uint8_t *)text.bytes, *end = at + text.length;
  size_t length = 0;
  bool blank = false;
  while (at < end) {
    uint32_t c = next_point(&at, end);
    if (is_blank(c)) {
      blank = length > 0;
      continue;
    }
    if (blank) normal->points[length++] = ' ';
    blank = false;
    normal->points[length++] = lower(c);
  }
  normal->length = length;
  return true;
}

/* ---- Scores ---- */

/* The normalised distance of the two texts of `scratch`. 1, the largest, stands for all from `limit` on
 * where the lengths alone say so. False when there is no memory. */
static bool normalised_distance(Scratch *scratch, double limit, double *result) {
  const Text *a = &scratch->answer, *b = &scratch->reference;
  size_t longer = a->length > b->length ? a->length : b->length;
  size_t shorter = a->length + b->length - longer;
  *result = longer == 0 ? 0.0 : 1.0;
  if (longer == 0 || (double)(longer - shorter) / (double)longer >= limit) return true;
  if (longer > scratch->deltas_capacity) {
    int8_t *deltas = (int8_t *)realloc(scratch->deltas, longer);
    if (deltas == NULL) return false;
    scratch->deltas = deltas;
    scratch->deltas_capacity = longer;
  }
  size_t edits = distance(a->points, a->length, b->points, b->length, scratch->deltas);
  *result = (double)edits / (double)longer;
  return true;
}

/* The smallest distance of an answer to a reference. False when there is no memory. */
static bool best_distance(QevalText answer, const QevalColumn *references, double limit,
                          Scratch *scratch, double *best) {
  *best = 1.0;
  if (answer.bytes == NULL) return true;
  if (!normalise(answer, &scratch->answer)) return false;
  for (int64_t i = 0; i < references->length && *best > 0.0; i++) {
    QevalText reference = qeval_text(references, i);
    if (reference.bytes == NULL) continue;
    double away = 1.0;
    if (!normalise(reference, &scratch->reference)) return false;
    if (!normalised_distance(scratch, limit, &away)) return false;
    if (away < *best) *best = away;
  }
  return true;
}

/* Adds one row to the two outputs of each column: the score, and why there is none. */
static bool add_row(const Setup *setup, QevalOutput *outputs, bool scored, double away) {
  for (size_t i = 0; i < setup->count; i++) {
    QevalOutput *score = &outputs[2 * i], *unscored = score + 1;
    if (scored) {
      bool near = away < setup->columns[i].threshold;
      if (!qeval_add_number(score, near ? 1.0 - away : 0.0)) return false;
      if (!qeval_add_null(unscored)) return false;
    } else {
      if (!qeval_add_null(score)) return false;
      if (!qeval_add_text(unscored, "no reference", 12)) return false;
    }
  }
  return true;
}

static bool fill(const Setup *setup, const QevalColumn *answers, const QevalColumn *references,
                 QevalOutput *outputs, Scratch *scratch) {
  double limit = 0.0;
  for (size_t i = 0; i < setup->count; i++) {
    if (setup->columns[i].threshold > limit) limit = setup->columns[i].threshold;
  }
  for (int64_t row = 0; row < answers->length; row++) {
    QevalColumn list;
    double best = 1.0;
    bool scored = qeval_list(references, row, &list) && list.length > 0;
    if (scored && !best_distance(qeval_text(answers, row), &list, limit, scratch, &best)) return false;
    if (!add_row(setup, outputs, scored, best)) return false;
  }
  return true;
}

/* The answer to a batch, which stays as it is. */
static int32_t answer(const Setup *setup, const struct ArrowArray *array,
                      const struct ArrowSchema *schema, struct ArrowArray *out_array,
                      struct ArrowSchema *out_schema, QevalError *error) {
  QevalColumn answers, references;
  if (!qeval_column(array, schema, "prediction", "u", &answers)) {
    return qeval_fail(error, QEVAL_STATUS_PROTOCOL, "the batch lacks `prediction: utf8`");
  }
  if (!qeval_column(array, schema, "references", "+l", &references) ||
      !qeval_is_list_of(&references, "u")) {
    return qeval_fail(error, QEVAL_STATUS_PROTOCOL, "the batch lacks `references: list<utf8>`");
  }
  int64_t count = 2 * (int64_t)setup->count;
  QevalOutput *outputs = (QevalOutput *)calloc((size_t)count, sizeof(QevalOutput));
  if (outputs == NULL) return qeval_fail(error, QEVAL_STATUS_MEMORY, "no memory for the scores");
  for (size_t i = 0; i < setup->count; i++) {
    outputs[2 * i] = qeval_numbers(setup->columns[i].name);
    outputs[2 * i + 1] = qeval_texts(setup->columns[i].unscored);
  }
  Scratch scratch;
  memset(&scratch, 0, sizeof scratch);
  bool made = fill(setup, &answers, &references, outputs, &scratch) &&
              qeval_answer(outputs, count, answers.length, out_array, out_schema);
  free_scratch(&scratch);
  qeval_free(outputs, count);
  free(outputs);
  if (!made) return qeval_fail(error, QEVAL_STATUS_MEMORY, "no memory for the scores");
  return QEVAL_STATUS_OK;
}

/* ---- The table ---- */

static int32_t create(const uint8_t *setup, size_t length, void **instance, QevalError *error) {
  Json json;
  Setup *made = (Setup *)malloc(sizeof(Setup));
  if (made == NULL) return qeval_fail(error, QEVAL_STATUS_MEMORY, "no memory for an instance");
  read_setup(&json, made, setup, length);
  if (json.problem[0] == 0) {
    *instance = made;
    return QEVAL_STATUS_OK;
  }
  free_setup(made);
  free(made);
  int32_t status = json.no_memory ? QEVAL_STATUS_MEMORY : QEVAL_STATUS_REFUSED;
  return qeval_fail(error, status, "%s", json.problem);
}

static int32_t call(void *instance, struct ArrowArray *array, struct ArrowSchema *schema,
                    struct ArrowArray *out_array, struct ArrowSchema *out_schema,
                    QevalError *error) {
  int32_t status = answer((const Setup *)instance, array, schema, out_array, out_schema, error);
  qeval_release(array, schema);
  return status;
}

static void destroy(void *instance) {
  if (instance == NULL) return;
  free_setup((Setup *)instance);
  free(instance);
}

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
