/* Levenshtein's distance of two texts of code points, 64 rows of its table at a time.
 *
 * The algorithm is that of G. Myers, "A fast bit-vector algorithm for approximate string matching based on
 * dynamic programming" (1999), with blocks as in H. Hyyro, "A bit-vector algorithm for computing
 * Levenshtein and Damerau edit distances" (2003): a machine word holds the differences of 64 cells of
 * a column to the cells above them. One block goes along the whole text before the next begins, and
 * leaves the differences of its last row in `deltas`; so only the letters of one block are ever
 * looked up, whatever the alphabet. */
#ifndef ANLS_DISTANCE_H
#define ANLS_DISTANCE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, SLOTS = 128 };

/* Where each letter of a block is: a bit for each row. */
typedef struct {
  uint64_t ascii[128];
  uint32_t letters[SLOTS]; /* 0 in an empty slot: that is ASCII */
  uint64_t rows[SLOTS];
} Letters;

/* The slot of a letter, or the empty one where it would be. At most half of them are in use. */
static inline size_t letter_slot(const Letters *letters, uint32_t letter) {
  size_t slot = (letter * UINT32_C(2654435761)) >> 25;
  while (letters->letters[slot] != 0 && letters->letters[slot] != letter) {
    slot = (slot + 1) % SLOTS;
  }
  return slot;
}

static inline uint64_t letter_rows(const Letters *letters, uint32_t letter) {
  if (letter < 128) return letters->ascii[letter];
  return letters->rows[letter_slot(letters, letter)];
}

static inline void read_letters(Letters *letters, const uint32_t *block, size_t length) {
  memset(letters, 0, sizeof *letters);
  for (size_t row = 0; row < length; row++) {
    uint64_t bit = UINT64_C(1) << row;
    if (block[row] < 128) {
      letters->ascii[block[row]] |= bit;
    } else {
      size_t slot = letter_slot(letters, block[row]);
      letters->letters[slot] = block[row];
      letters->rows[slot] |= bit;
    }
  }
}

/* Takes a block along the text. `deltas` are the differences of neighbours in the row above the block,
 * and become those in its last row. */
static inline void pass_block(const Letters *letters, size_t rows, const uint32_t *text,
                              size_t length, int8_t *deltas) {
  uint64_t up = ~UINT64_C(0), down = 0, last = UINT64_C(1) << (rows - 1);
  for (size_t column = 0; column < length; column++) {
    int8_t above = deltas[column];
    uint64_t equal = letter_rows(letters, text[column]);
    uint64_t straight = equal | down;
    if (above < 0) equal |= 1;
    uint64_t across = (((equal & up) + up) ^ up) | equal;
    uint64_t plus = down | ~(across | up);
    uint64_t minus = up & across;
    deltas[column] = (int8_t)(((plus & last) != 0) - ((minus & last) != 0));
    plus = plus << 1 | (above > 0);
    minus = minus << 1 | (above < 0);
    up = minus | ~(straight | plus);
    down = plus & straight;
  }
}

/* The distance. `deltas` has room for the length of the longer text. */
static inline size_t distance(const uint32_t *a, size_t a_length, const uint32_t *b,
                              size_t b_length, int8_t *deltas) {
  while (a_length > 0 && b_length > 0 && a[a_length - 1] == b[b_length - 1]) a_length--, b_length--;
  while (a_length > 0 && b_length > 0 && *a == *b) a++, b++, a_length--, b_length--;
  if (a_length > b_length) {
    const uint32_t *longer = a;
    size_t length = a_length;
    a = b, a_length = b_length;
    b = longer, b_length = length;
  }
  if (a_length == 0) return b_length;
  Letters letters;
  memset(deltas, 1, b_length);
  for (size_t row = 0; row < a_length; row += BLOCK) {
    size_t rows = a_length - row < BLOCK ? a_length - row : BLOCK;
    read_letters(&letters, a + row, rows);
    pass_block(&letters, rows, b, b_length, deltas);
  }
  size_t result = a_length;
  for (size_t column = 0; column < b_length; column++) result += (size_t)(ptrdiff_t)deltas[column];
  return result;
}

#endif /* ANLS_DISTANCE_H */
