#include "backup_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store_connect.h"

#define PREFIX "regime-"
#define NS_PER_S 1e9
#define NS_PER_MS 1000000

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

/* Names sort by their time. */
static bool name_now(char ret_name[BACKUP_NAME_MAX])
{
    struct timespec now;
    struct tm parts;
    char second[20];

    clock_gettime(CLOCK_REALTIME, &now);
    if (!gmtime_r(&now.tv_sec, &parts) ||
        !strftime(second, sizeof(second), "%Y%m%dT%H%M%S", &parts))
        return false;
    unsigned ms = (unsigned)(now.tv_nsec / NS_PER_MS) % 1000u;
    snprintf(ret_name, BACKUP_NAME_MAX, PREFIX "%s.%03uZ.db", second, ms);
    return true;
}

/* Whether a file is one of ours: nobody else's is removed. */
static bool is_ours(const char *name)
{
    static const char FORM[] = PREFIX "00000000T000000.000Z.db";

    if (strlen(name) != sizeof(FORM) - 1)
        return false;
    for (size_t i = 0; FORM[i]; i++) {
        bool digit = name[i] >= '0' && name[i] <= '9';
        if (FORM[i] == '0' ? !digit : name[i] != FORM[i])
            return false;
    }
    return true;
}

/* How many there are, and the name of the oldest. */
static int count(const char *folder, char ret_oldest[BACKUP_NAME_MAX])
{
    DIR *dir = opendir(folder);
    const struct dirent *entry = NULL;
    int n = 0;

    /* the stream is this thread's own */
    while (dir && (entry = readdir(dir)) != NULL) { // NOLINT(concurrency-mt-unsafe)
        if (!is_ours(entry->d_name))
            continue;
        if (n++ == 0 || strcmp(entry->d_name, ret_oldest) < 0)
            snprintf(ret_oldest, BACKUP_NAME_MAX, "%.39s", entry->d_name);
    }
    if (dir)
        closedir(dir);
    return n;
}

static int remove_oldest(const char *folder, long keep)
{
    char path[STORE_PATH_MAX], oldest[BACKUP_NAME_MAX];
    int removed = 0;

    while (count(folder, oldest) > keep) {
        snprintf(path, sizeof(path), "%.4000s/%s", folder, oldest);
        if (unlink(path) != 0)
            break;
        removed++;
    }
    return removed;
}

bool backup_folder_add(const char *folder, long keep, const char *db, struct backup_made *ret_made,
                       char ret_error[STORE_ERROR_MAX])
{
    char path[STORE_PATH_MAX];
    struct backup_made made = {.name = ""};
    double begin_s = now_s();

    if (!name_now(made.name))
        return store_refuse(ret_error, folder, "the clock cannot be read");
    int length = snprintf(path, sizeof(path), "%s/%s", folder, made.name);
    if (length < 0 || (size_t)length >= sizeof(path))
        return store_refuse(ret_error, folder, "its name is too long");
    if (!store_backup(db, path, &made.state, ret_error))
        return false;
    made.removed = keep > 0 ? remove_oldest(folder, keep) : 0;
    made.seconds = now_s() - begin_s;
    *ret_made = made;
    return true;
}
