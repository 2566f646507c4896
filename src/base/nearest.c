/* base/nearest.c -- the word that was meant.  SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <string.h>

enum { MAX_WORD = 64 };    /* nobody misspells more than that */

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/*
 * Damerau-Levenshtein distance (optimal string alignment), row by row.
 * row[0] is the current one, row[1] and row[2] the two before it.
 */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t store[3][MAX_WORD + 1];
    size_t *row[3] = { store[0], store[1], store[2] };

    for (size_t j = 0; j <= b_len; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *oldest = row[2];
        row[2] = row[1];
        row[1] = row[0];
        row[0] = oldest;
        row[0][0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            int x = lower(a[i - 1]), y = lower(b[j - 1]);
            size_t d = row[1][j - 1] + (x != y);
            d = least(d, least(row[1][j], row[0][j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
                d = least(d, row[2][j - 2] + 1);
            row[0][j] = d;
        }
    }
    return row[0][b_len];
}

const char *nearest_word(const char *word, const char *const *list,
                         size_t count)
{
    size_t len = strlen(word);
    const char *best = NULL;
    size_t best_distance = (len < 6 ? 1 : len / 3) + 1;    /* to be beaten */

    if (len < 2 || len > MAX_WORD)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(list[i]);
        if (n > MAX_WORD)
            continue;
        size_t d = distance(word, len, list[i], n);
        if (d < best_distance && d < n) {
            best_distance = d;
            best = list[i];
        }
    }
    return best;
}
