#include "query_words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define WORD_MAX 64

bool text_holds_words(const char *text, const char *words)
{
    while (words && *words) {
        char word[WORD_MAX];
        size_t length = strcspn(words, " \t\r\n");
        size_t kept = length < sizeof(word) ? length : sizeof(word) - 1;
        bool found = kept == 0;
        for (size_t i = 0; i < kept; i++) {
            word[i] = (char)tolower((unsigned char)words[i]);
        }
        word[kept] = '\0';
        for (const char *at = text; *at && !found; at++) {
            size_t i = 0;
            while (word[i] && tolower((unsigned char)at[i]) == word[i]) {
                i++;
            }
            found = !word[i];
        }
        if (!found) {
            return false;
        }
        words += length;
        words += strspn(words, " \t\r\n");
    }
    return true;
}
