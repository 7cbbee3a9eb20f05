#include "name_key.h"

#include <ctype.h>
#include <string.h>

static bool is_separator(char c)
{
    return c == ' ' || c == '_' || c == '-' || c == ':' || c == '\t';
}

bool name_key(const char *name, bool strip_owner, char ret_key[NAME_KEY_MAX])
{
    const char *slash = strip_owner ? strrchr(name, '/') : NULL;
    const char *from = slash && slash[1] ? slash + 1 : name;
    size_t used = 0;
    bool pending = false;
    for (; *from; from++) {
        if (is_separator(*from)) {
            pending = used > 0;
            continue;
        }
        if (used + 2 >= NAME_KEY_MAX) {
            used = 0;
            break;
        }
        if (pending) {
            ret_key[used++] = '-';
            pending = false;
        }
        ret_key[used++] = (char)tolower((unsigned char)*from);
    }
    ret_key[used] = '\0';
    return used > 0;
}
