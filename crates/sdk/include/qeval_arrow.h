/* Reading and making the batches of the plugin interface of qeval, for C99 and C++11.
 *
 * All functions are `static inline`: there is no library to link. Include this instead of
 * qeval_plugin.h, or after it. Memory is allocated with malloc and freed with free, here and in the
 * release callbacks, so none of it crosses to qeval.
 *
 * Reading: a batch is an array of structs, a column is one of its children.
 *
 *   QevalColumn answers, references, list;
 *   if (!qeval_column(in, in_schema, "prediction", "u", &answers)) ...
 *   if (!qeval_column(in, in_schema, "references", "+l", &references)) ...
 *   QevalText answer = qeval_text(&answers, row);
 *   if (qeval_list(&references, row, &list))
 *     for (int64_t i = 0; i < list.length; i++) ... qeval_text(&list, i) ...
 *
 * A column borrows from the batch: it is valid until that is released.
 *
 * Making: outputs are filled row by row, then all become one batch.
 *
 *   QevalOutput outputs[1] = {qeval_numbers("overlap")};
 *   if (!qeval_add_number(&outputs[0], 0.5)) ...            every row once; false: no memory
 *   if (!qeval_answer(outputs, 1, rows, out, out_schema)) ...
 *   qeval_free(outputs, 1);                                 always, also when something failed
 */
#ifndef QEVAL_ARROW_H
#define QEVAL_ARROW_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qeval_plugin.h"

/* ---- Errors ---- */

/* Writes a text, as printf does, into the buffer of qeval and returns `status`, so that a function can
 * end with it. A text that is too long is cut between two characters. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline int32_t qeval_fail(QevalError *error, int32_t status, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (error == NULL || written < 0) return status;
  size_t whole = (size_t)written < sizeof text ? (size_t)written : sizeof text - 2;
  size_t length = whole < error->capacity ? whole : error->capacity;
  bool cut = length < (size_t)written;
  /* A byte 10xxxxxx goes on with the character before it. */
  while (cut && length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80) length--;
  if (length > 0) memcpy(error->text, text, length);
  error->length = length;
  return status;
}

/* ---- Reading ---- */

/* Rows of one column: of a batch, or the elements of one list. */
typedef struct {
  const struct ArrowArray *array;
  const struct ArrowSchema *schema;
  int64_t offset; /* Where row 0 is in the buffers: the offsets of the batch and of the column. */
  int64_t length;
} QevalColumn;

/* A text that is not ended by a zero. `bytes` is NULL where the text is null. */
typedef struct {
  const char *bytes;
  size_t length;
} QevalText;

/* Whether arrays of this column are laid out as qeval_text and the others expect. */
static inline bool qeval_is_column(const struct ArrowArray *array, const struct ArrowSchema *schema,
                                   const char *format) {
  if (strcmp(schema->format, format) != 0 || schema->dictionary != NULL) return false;
  if (strcmp(format, "u") == 0) return array->n_buffers == 3;
  if (strcmp(format, "+l") != 0) return array->n_buffers == 2;
  return array->n_buffers == 2 && array->n_children == 1 && schema->n_children == 1;
}

/* Finds a column by its name. `format` is that of Arrow: "u" utf8, "+l" list, "g" float64, "b" bool,
 * "l" int64, "i" int32. False where there is no such column, or it has another type. */
static inline bool qeval_column(const struct ArrowArray *batch, const struct ArrowSchema *schema,
                                const char *name, const char *format, QevalColumn *column) {
  if (strcmp(schema->format, "+s") != 0 || batch->n_children != schema->n_children) return false;
  for (int64_t i = 0; i < schema->n_children; i++) {
    const struct ArrowSchema *child = schema->children[i];
    if (child->name == NULL || strcmp(child->name, name) != 0) continue;
    const struct ArrowArray *array = batch->children[i];
    if (!qeval_is_column(array, child, format)) return false;
    if (array->length < batch->offset + batch->length) return false;
    column->array = array;
    column->schema = child;
    /* The offset of a struct counts in its children, which have offsets of their own. */
    column->offset = batch->offset + array->offset;
    column->length = batch->length;
    return true;
  }
  return false;
}

/* Whether a row is null. */
static inline bool qeval_is_null(const QevalColumn *column, int64_t row) {
  const uint8_t *bits = (const uint8_t *)column->array->buffers[0];
  int64_t place = column->offset + row;
  return bits != NULL && (bits[place / 8] >> (place % 8) & 1) == 0;
}

/* A row of a column of format "u". */
static inline QevalText qeval_text(const QevalColumn *column, int64_t row) {
  QevalText text = {NULL, 0};
  if (qeval_is_null(column, row)) return text;
  const int32_t *offsets = (const int32_t *)column->array->buffers[1] + column->offset + row;
  const char *bytes = (const char *)column->array->buffers[2];
  /* A column of empty texts may have no bytes at all. */
  text.bytes = bytes == NULL ? "" : bytes + offsets[0];
  text.length = (size_t)(offsets[1] - offsets[0]);
  return text;
}

/* A row of a column of format "g"; 0 where it is null. */
static inline double qeval_number(const QevalColumn *column, int64_t row) {
  if (qeval_is_null(column, row)) return 0.0;
  return ((const double *)column->array->buffers[1])[column->offset + row];
}

/* A row of a column of format "l" or "i"; 0 where it is null. */
static inline int64_t qeval_integer(const QevalColumn *column, int64_t row) {
  if (qeval_is_null(column, row)) return 0;
  const void *values = column->array->buffers[1];
  int64_t place = column->offset + row;
  if (column->schema->format[0] == 'i') return ((const int32_t *)values)[place];
  return ((const int64_t *)values)[place];
}

/* A row of a column of format "b"; false where it is null. */
static inline bool qeval_bool(const QevalColumn *column, int64_t row) {
  if (qeval_is_null(column, row)) return false;
  int64_t place = column->offset + row;
  return (((const uint8_t *)column->array->buffers[1])[place / 8] >> (place % 8) & 1) != 0;
}

/* A row of a column of format "+l", as a column of its elements. False where it is null. */
static inline bool qeval_list(const QevalColumn *column, int64_t row, QevalColumn *elements) {
  if (qeval_is_null(column, row)) return false;
  const int32_t *offsets = (const int32_t *)column->array->buffers[1] + column->offset + row;
  elements->array = column->array->children[0];
  elements->schema = column->schema->children[0];
  elements->offset = elements->array->offset + offsets[0];
  elements->length = offsets[1] - offsets[0];
  return true;
}

/* Whether the elements of a column of lists have this format. */
static inline bool qeval_is_list_of(const QevalColumn *column, const char *format) {
  return qeval_is_column(column->array->children[0], column->schema->children[0], format);
}

/* Releases a batch, once. A plugin does this with its input, whatever happens. */
static inline void qeval_release(struct ArrowArray *array, struct ArrowSchema *schema) {
  if (array->release != NULL) array->release(array);
  if (schema->release != NULL) schema->release(schema);
}

/* ---- Making ---- */

/* A column of an answer while it is filled. */
typedef struct {
  const char *name; /* Borrowed; qeval_answer copies it. */
  bool is_text;
  int64_t length, nulls, capacity;
  uint8_t *validity;
  double *numbers;  /* of numbers */
  int32_t *offsets; /* of texts, one more than rows */
  char *bytes;      /* of texts */
  size_t used, room;
} QevalOutput;

/* An empty column of format "g". */
static inline QevalOutput qeval_numbers(const char *name) {
  QevalOutput output;
  memset(&output, 0, sizeof output);
  output.name = name;
  return output;
}

/* An empty column of format "u". */
static inline QevalOutput qeval_texts(const char *name) {
  QevalOutput output = qeval_numbers(name);
  output.is_text = true;
  return output;
}

/* Makes room for a row and says whether it is null. */
static inline bool qeval_add_row(QevalOutput *output, bool null) {
  if (output->length == output->capacity) {
    int64_t capacity = output->capacity == 0 ? 256 : 2 * output->capacity;
    uint8_t *validity = (uint8_t *)realloc(output->validity, (size_t)capacity / 8);
    if (validity == NULL) return false;
    output->validity = validity;
    memset(validity + output->capacity / 8, 0, (size_t)(capacity - output->capacity) / 8);
    if (output->is_text) {
      size_t size = ((size_t)capacity + 1) * sizeof(int32_t);
      int32_t *offsets = (int32_t *)realloc(output->offsets, size);
      if (offsets == NULL) return false;
      offsets[0] = 0;
      output->offsets = offsets;
    } else {
      double *numbers = (double *)realloc(output->numbers, (size_t)capacity * sizeof(double));
      if (numbers == NULL) return false;
      output->numbers = numbers;
    }
    output->capacity = capacity;
  }
  int64_t row = output->length++;
  if (null) output->nulls++;
  if (!null) output->validity[row / 8] |= (uint8_t)(1u << (row % 8));
  if (output->is_text) output->offsets[row + 1] = (int32_t)output->used;
  else output->numbers[row] = 0.0;
  return true;
}

/* Adds a null. This and the next two return false when there is no memory. */
static inline bool qeval_add_null(QevalOutput *output) { return qeval_add_row(output, true); }

static inline bool qeval_add_number(QevalOutput *output, double number) {
  if (!qeval_add_row(output, false)) return false;
  output->numbers[output->length - 1] = number;
  return true;
}

/* Adds UTF-8. False also when the texts of the column exceed 2 GiB. */
static inline bool qeval_add_text(QevalOutput *output, const char *bytes, size_t length) {
  if (length > (size_t)INT32_MAX - output->used) return false;
  if (output->used + length > output->room) {
    size_t room = 2 * (output->used + length);
    char *grown = (char *)realloc(output->bytes, room);
    if (grown == NULL) return false;
    output->bytes = grown;
    output->room = room;
  }
  if (length > 0) memcpy(output->bytes + output->used, bytes, length);
  output->used += length;
  if (qeval_add_row(output, false)) return true;
  output->used -= length;
  return false;
}

/* Frees what qeval_answer has not taken. */
static inline void qeval_free(QevalOutput *outputs, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    QevalOutput *output = &outputs[i];
    free(output->validity);
    free(output->numbers);
    free(output->offsets);
    free(output->bytes);
    output->validity = NULL;
    output->numbers = NULL;
    output->offsets = NULL;
    output->bytes = NULL;
    output->length = output->nulls = output->capacity = 0;
    output->used = output->room = 0;
  }
}

/* The release callbacks. A consumer may move a child out, which sets its `release` to NULL; such a
 * child is left alone. The structs of the children belong to their parent all the same. */
static inline void qeval_release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++) {
    struct ArrowArray *child = array->children[i];
    if (child != NULL && child->release != NULL) child->release(child);
    free(child);
  }
  for (int64_t i = 0; array->buffers != NULL && i < array->n_buffers; i++) {
    free((void *)(uintptr_t)array->buffers[i]);
  }
  free((void *)array->buffers);
  free(array->children);
  array->release = NULL;
}

static inline void qeval_release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++) {
    struct ArrowSchema *child = schema->children[i];
    if (child != NULL && child->release != NULL) child->release(child);
    free(child);
  }
  free((void *)(uintptr_t)schema->name);
  free(schema->children);
  schema->release = NULL;
}

/* A released struct is one without a release callback, so it is set first: what fails half way can
 * then be released like what is whole. */
static inline bool qeval_make_array(struct ArrowArray *array, int64_t buffers, int64_t children) {
  memset(array, 0, sizeof *array);
  array->release = qeval_release_array;
  array->buffers = (const void **)calloc((size_t)buffers, sizeof(void *));
  if (array->buffers == NULL) return false;
  array->n_buffers = buffers;
  if (children == 0) return true;
  array->children = (struct ArrowArray **)calloc((size_t)children, sizeof(struct ArrowArray *));
  if (array->children == NULL) return false;
  array->n_children = children;
  return true;
}

static inline bool qeval_make_schema(struct ArrowSchema *schema, const char *format,
                                     const char *name, int64_t children) {
  memset(schema, 0, sizeof *schema);
  schema->release = qeval_release_schema;
  schema->format = format; /* A constant of the library, which is never closed. */
  size_t size = strlen(name) + 1;
  char *copy = (char *)malloc(size);
  if (copy == NULL) return false;
  memcpy(copy, name, size);
  schema->name = copy;
  if (children == 0) return true;
  schema->children = (struct ArrowSchema **)calloc((size_t)children, sizeof(struct ArrowSchema *));
  if (schema->children == NULL) return false;
  schema->n_children = children;
  return true;
}

/* Moves an output into a child. */
static inline bool qeval_make_column(QevalOutput *output, struct ArrowArray *array,
                                     struct ArrowSchema *schema) {
  if (!qeval_make_schema(schema, output->is_text ? "u" : "g", output->name, 0)) return false;
  schema->flags = ARROW_FLAG_NULLABLE;
  if (!qeval_make_array(array, output->is_text ? 3 : 2, 0)) return false;
  /* A buffer of an array without rows is there, too: some readers want a place. */
  if (output->is_text && output->bytes == NULL) output->bytes = (char *)malloc(1);
  if (output->is_text && output->offsets == NULL) {
    output->offsets = (int32_t *)calloc(1, sizeof(int32_t));
  }
  if (!output->is_text && output->numbers == NULL) output->numbers = (double *)malloc(sizeof(double));
  void *values = output->is_text ? (void *)output->offsets : (void *)output->numbers;
  if (values == NULL || (output->is_text && output->bytes == NULL)) return false;
  array->length = output->length;
  array->null_count = output->nulls;
  array->buffers[0] = output->validity;
  array->buffers[1] = values;
  if (output->is_text) array->buffers[2] = output->bytes;
  output->validity = NULL;
  output->numbers = NULL;
  output->offsets = NULL;
  output->bytes = NULL;
  return true;
}

/* Makes a batch of the outputs, each of which must have `rows` rows. False when one has not, or when
 * there is no memory; then nothing was written that must be released. */
static inline bool qeval_answer(QevalOutput *outputs, int64_t count, int64_t rows,
                                struct ArrowArray *out, struct ArrowSchema *out_schema) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  for (int64_t i = 0; i < count; i++) {
    if (outputs[i].length != rows) return false;
  }
  bool made = qeval_make_schema(&schema, "+s", "", count);
  made = qeval_make_array(&array, 1, count) && made;
  for (int64_t i = 0; made && i < count; i++) {
    array.children[i] = (struct ArrowArray *)calloc(1, sizeof(struct ArrowArray));
    schema.children[i] = (struct ArrowSchema *)calloc(1, sizeof(struct ArrowSchema));
    made = array.children[i] != NULL && schema.children[i] != NULL &&
           qeval_make_column(&outputs[i], array.children[i], schema.children[i]);
  }
  if (!made) {
    qeval_release(&array, &schema);
    return false;
  }
  array.length = rows;
  *out = array;
  *out_schema = schema;
  return true;
}

#endif /* QEVAL_ARROW_H */
