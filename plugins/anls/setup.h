/* The setup of an instance: the part of JSON that it needs, read strictly.
 *
 *   {"component": "scorer", "options": {},
 *    "metrics": [{"column": "anls(threshold=0.3)", "name": "anls", "parameters": {"threshold": 0.3}}]}
 *
 * Keys may come in any order. One that is unknown, missing or there twice is refused: a setup that
 * is only half understood would give wrong scores. */
#ifndef ANLS_SETUP_H
#define ANLS_SETUP_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* A column of the answer. */
typedef struct {
  const char *name;
  const char *unscored; /* the name of the column with the reasons */
  double threshold;
} Column;

typedef struct {
  Column *columns;
  size_t count;
  char *texts; /* all names, each ended by a zero */
} Setup;

/* A place in the text, and the first mistake. */
typedef struct {
  const uint8_t *at, *end;
  char *texts; /* where the next text is written */
  char problem[160];
  bool no_memory;
} Json;

/* How much of a text a message shows: 40 bytes, and no part of a character. */
static inline int json_shown(const char *text, size_t length) {
  if (length <= 40) return (int)length;
  int shown = 40;
  while (shown > 0 && ((uint8_t)text[shown] & 0xC0) == 0x80) shown--;
  return shown;
}

/* The first mistake: a format with one text in it. */
static inline void json_refuse(Json *json, const char *format, const char *text) {
  if (json->problem[0] != 0) return;
  snprintf(json->problem, sizeof json->problem, format, json_shown(text, strlen(text)), text);
}

static inline void json_wrong(Json *json, const char *expected) {
  if (json->problem[0] != 0) return;
  const char *at = (const char *)json->at;
  int shown = json_shown(at, (size_t)(json->end - json->at));
  if (shown == 0) {
    snprintf(json->problem, sizeof json->problem, "the setup ends, expected %s", expected);
  } else {
    snprintf(json->problem, sizeof json->problem, "the setup has `%.*s`, expected %s", shown, at,
             expected);
  }
}

/* The byte after blanks; 0 at the end. */
static inline int json_peek(Json *json) {
  while (json->at < json->end && *json->at != 0 && strchr(" \t\n\r", *json->at) != NULL) json->at++;
  return json->at < json->end ? *json->at : 0;
}

static inline bool json_take(Json *json, char sign) {
  if (json->problem[0] != 0) return false;
  if (json_peek(json) == (uint8_t)sign) {
    json->at++;
    return true;
  }
  char expected[] = {'`', sign, '`', 0};
  json_wrong(json, expected);
  return false;
}

/* Whether an object or a list has another element. It takes the comma, or the bracket at the end. */
static inline bool json_more(Json *json, char close, bool *first) {
  if (json->problem[0] != 0) return false;
  if (json_peek(json) == (uint8_t)close) {
    json->at++;
    return false;
  }
  if (!*first && !json_take(json, ',')) return false;
  *first = false;
  return true;
}

static inline bool json_hex(Json *json, uint32_t *value) {
  *value = 0;
  for (int i = 0; i < 4; i++) {
    static const char digits[] = "0123456789abcdef";
    int byte = json->at < json->end ? *json->at : 0;
    const char *digit = byte == 0 ? NULL : strchr(digits, byte >= 'A' && byte <= 'F' ? byte + 32 : byte);
    if (digit == NULL) return false;
    *value = *value * 16 + (uint32_t)(digit - digits);
    json->at++;
  }
  return true;
}

/* After a backslash: writes what is meant. A zero is refused: names end there in C. */
static inline bool json_escape(Json *json) {
  static const char signs[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  int byte = json->at < json->end ? *json->at++ : 0;
  const char *sign = byte == 0 ? NULL : strchr(signs, byte);
  if (sign != NULL) {
    *json->texts++ = meant[sign - signs];
    return true;
  }
  uint32_t c = 0, low = 0;
  if (byte != 'u' || !json_hex(json, &c) || c == 0 || (c >= 0xDC00 && c < 0xE000)) return false;
  if (c >= 0xD800 && c < 0xDC00) {
    if (json->end - json->at < 6 || json->at[0] != '\\' || json->at[1] != 'u') return false;
    json->at += 2;
    if (!json_hex(json, &low) || low < 0xDC00 || low > 0xDFFF) return false;
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t leads[] = {0x00, 0xC0, 0xE0, 0xF0};
  *json->texts++ = (char)(leads[more] | c >> (6 * more));
  while (more-- > 0) *json->texts++ = (char)(0x80 | (c >> (6 * more) & 0x3F));
  return true;
}

/* A text, ended by a zero; NULL where there is none. */
static inline const char *json_text(Json *json) {
  if (!json_take(json, '"')) return NULL;
  const char *text = json->texts;
  for (;;) {
    if (json->at == json->end || *json->at < 0x20) break;
    if (*json->at == '"') {
      json->at++;
      *json->texts++ = 0;
      return text;
    }
    if (*json->at != '\\') {
      *json->texts++ = (char)*json->at++;
      continue;
    }
    json->at++;
    if (!json_escape(json)) break;
  }
  json_wrong(json, "a text");
  return NULL;
}

static inline const char *json_key(Json *json) {
  const char *key = json_text(json);
  return key != NULL && json_take(json, ':') ? key : NULL;
}

static inline void json_digits(Json *json) {
  const uint8_t *begin = json->at;
  while (json->at < json->end && *json->at >= '0' && *json->at <= '9') json->at++;
  if (json->at == begin) json_wrong(json, "a digit");
}

/* A number. The C library reads it in the locale "C": the locale of the program may have a comma. */
static inline double json_number(Json *json) {
  if (json->problem[0] != 0) return 0.0;
  json_peek(json);
  const uint8_t *begin = json->at;
  if (json->at < json->end && *json->at == '-') json->at++;
  bool zero = json->at < json->end && *json->at == '0';
  if (zero) json->at++;
  else json_digits(json);
  if (json->at < json->end && *json->at == '.') {
    json->at++;
    json_digits(json);
  }
  if (json->at < json->end && (*json->at == 'e' || *json->at == 'E')) {
    json->at++;
    if (json->at < json->end && (*json->at == '+' || *json->at == '-')) json->at++;
    json_digits(json);
  }
  char copy[64];
  size_t length = (size_t)(json->at - begin);
  if (length >= sizeof copy) json_wrong(json, "a number of at most 63 bytes");
  if (json->problem[0] != 0) return 0.0;
  memcpy(copy, begin, length);
  copy[length] = 0;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain == (locale_t)0) {
    json->no_memory = true;
    json_wrong(json, "memory for a locale");
    return 0.0;
  }
  double number = strtod_l(copy, NULL, plain);
  freelocale(plain);
  return number;
}

/* Notes that a key was there. `keys` are all that may be, and `seen` has a bit for each. Gives the
 * index of the key, or -1. */
static inline int json_note(Json *json, const char *key, const char *const *keys, unsigned *seen) {
  if (key == NULL) return -1;
  for (int i = 0; keys[i] != NULL; i++) {
    if (strcmp(key, keys[i]) != 0) continue;
    if ((*seen >> i & 1) != 0) {
      json_refuse(json, "the setup has the key `%.*s` twice", key);
      return -1;
    }
    *seen |= 1u << i;
    return i;
  }
  json_refuse(json, "the setup has the unknown key `%.*s`", key);
  return -1;
}

static inline void json_all(Json *json, const char *const *keys, unsigned seen) {
  for (int i = 0; keys[i] != NULL && json->problem[0] == 0; i++) {
    if ((seen >> i & 1) == 0) json_refuse(json, "the setup lacks the key `%.*s`", keys[i]);
  }
}

/* A text that may have one value only. */
static inline void json_only(Json *json, const char *value, const char *refusal) {
  const char *text = json_text(json);
  if (text != NULL && strcmp(text, value) != 0) json_refuse(json, refusal, text);
}

static inline double read_parameters(Json *json) {
  static const char *const keys[] = {"threshold", NULL};
  unsigned seen = 0;
  double threshold = 0.0;
  bool first = true;
  json_take(json, '{');
  while (json_more(json, '}', &first)) {
    if (json_note(json, json_key(json), keys, &seen) == 0) threshold = json_number(json);
  }
  json_all(json, keys, seen);
  if (json->problem[0] == 0 && !(threshold >= 0.0 && threshold <= 1.0)) {
    snprintf(json->problem, sizeof json->problem, "`threshold` is %g, expected 0 to 1", threshold);
  }
  return threshold;
}

/* The name of the column, and the one that is made of it. */
static inline void read_column(Json *json, Column *column) {
  static const char ending[] = ".unscored";
  column->name = json_text(json);
  if (column->name == NULL) return;
  size_t length = strlen(column->name);
  column->unscored = json->texts;
  memcpy(json->texts, column->name, length);
  memcpy(json->texts + length, ending, sizeof ending);
  json->texts += length + sizeof ending;
}

static inline void read_metric(Json *json, Column *column) {
  static const char *const keys[] = {"column", "name", "parameters", NULL};
  unsigned seen = 0;
  bool first = true;
  json_take(json, '{');
  while (json_more(json, '}', &first)) {
    switch (json_note(json, json_key(json), keys, &seen)) {
      case 0: read_column(json, column); break;
      case 1: json_only(json, "anls", "there is no metric `%.*s`"); break;
      case 2: column->threshold = read_parameters(json); break;
      default: break;
    }
  }
  json_all(json, keys, seen);
}

static inline void read_metrics(Json *json, Setup *setup) {
  bool first = true;
  json_take(json, '[');
  while (json_more(json, ']', &first)) {
    size_t size = (setup->count + 1) * sizeof(Column);
    Column *columns = (Column *)realloc(setup->columns, size);
    if (columns == NULL) {
      json->no_memory = true;
      json_wrong(json, "memory");
      return;
    }
    setup->columns = columns;
    read_metric(json, &columns[setup->count]);
    setup->count++;
  }
}

static inline void read_options(Json *json) {
  bool first = true;
  json_take(json, '{');
  if (json_more(json, '}', &first)) {
    const char *key = json_key(json);
    if (key != NULL) json_refuse(json, "the plugin has no option `%.*s`", key);
  }
}

/* Frees what a setup has. */
static inline void free_setup(Setup *setup) {
  free(setup->columns);
  free(setup->texts);
  memset(setup, 0, sizeof *setup);
}

/* Reads a setup; what it has must be freed, also when there is a problem. */
static inline void read_setup(Json *json, Setup *setup, const uint8_t *text, size_t length) {
  static const char *const keys[] = {"component", "options", "metrics", NULL};
  unsigned seen = 0;
  bool first = true;
  memset(setup, 0, sizeof *setup);
  memset(json, 0, sizeof *json);
  json->at = text;
  json->end = text + length;
  /* No text is longer than as it is read, with its quotes. `"column":"x"` is kept twice, with an ending
   * that is no longer than the key. */
  json->texts = setup->texts = (char *)malloc(2 * length + 1);
  if (setup->texts == NULL) {
    json->no_memory = true;
    json_wrong(json, "memory");
    return;
  }
  json_take(json, '{');
  while (json_more(json, '}', &first)) {
    switch (json_note(json, json_key(json), keys, &seen)) {
      case 0: json_only(json, "scorer", "there is no component `%.*s`"); break;
      case 1: read_options(json); break;
      case 2: read_metrics(json, setup); break;
      default: break;
    }
  }
  json_all(json, keys, seen);
  if (setup->count == 0) json_refuse(json, "the setup names %.*s", "no metric");
  if (json->problem[0] == 0 && json_peek(json) != 0) json_wrong(json, "its end");
  if (json->problem[0] == 0 && json->at != json->end) json_wrong(json, "its end");
}

#endif /* ANLS_SETUP_H */
