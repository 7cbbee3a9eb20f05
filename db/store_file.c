#include "store_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sql.h"

#define PATH_TEXT_MAX 4096

/* How every SQLite 3 file begins, its NUL included (the file format's header). */
static const char MAGIC[16] = "SQLite format 3";

bool store_file_note(struct store_file *file, const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0) {
        return false;
    }
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    file->device = there.st_dev;
    file->inode = there.st_ino;
    atomic_store(&file->bytes, (long long)there.st_size);
    return file->fd >= 0;
}

void store_file_done(struct store_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    file->fd = -1;
}

static bool begins_as_database(const struct store_file *file)
{
    char head[sizeof(MAGIC)] = "";
    return pread(file->fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
           memcmp(head, MAGIC, sizeof(MAGIC)) == 0;
}

const char *store_file_trouble(struct store_file *file, const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0) {
        return errno == ENOENT ? "the store's file was removed"
                               : "the store's file is out of reach";
    }
    if (there.st_dev != file->device || there.st_ino != file->inode) {
        return "the store's file was replaced by another";
    }
    long long most = atomic_load(&file->bytes);
    if ((long long)there.st_size < most) {
        return "the store's file was cut";
    }
    /* Another thread that saw it longer wins. */
    while (most < (long long)there.st_size &&
           !atomic_compare_exchange_weak(&file->bytes, &most, (long long)there.st_size)) {
    }
    return begins_as_database(file) ? NULL : "the store's file is no database any more";
}

/* The process id in "my.db.new-17" or "my.db.new-17-journal"; 0 for other names. */
static long fresh_owner(const char *name, const char *base)
{
    size_t length = strlen(base);
    size_t infix = strlen(STORE_FRESH_INFIX);
    if (strncmp(name, base, length) != 0 || strncmp(name + length, STORE_FRESH_INFIX, infix) != 0) {
        return 0;
    }
    const char *digits = name + length + infix;
    char *end = NULL;
    long owner = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : 0;
    bool whole = owner > 0 && (*end == '\0' || strcmp(end, "-journal") == 0 ||
                               strcmp(end, "-wal") == 0 || strcmp(end, "-shm") == 0);
    return whole ? owner : 0;
}

/* A process id is used again, in a container at once: what bears our own was left by another. */
static bool is_gone(long owner)
{
    return owner == (long)getpid() || (kill((pid_t)owner, 0) != 0 && errno == ESRCH);
}

void store_file_clear_fresh(const char *path)
{
    char folder[PATH_TEXT_MAX];
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    int length = slash ? (int)(slash - path + 1) : 0;
    if (!text_print(folder, sizeof(folder), "%.*s", length, path)) {
        return;
    }
    DIR *dir = opendir(length ? folder : ".");
    const struct dirent *entry = NULL;
    /* the stream is this thread's own */
    while (dir && (entry = readdir(dir)) != NULL) { // NOLINT(concurrency-mt-unsafe)
        char left[PATH_TEXT_MAX];
        long owner = fresh_owner(entry->d_name, base);
        if (owner > 0 && is_gone(owner) &&
            text_print(left, sizeof(left), "%s%s", folder, entry->d_name)) {
            (void)unlink(left);
        }
    }
    if (dir) {
        (void)closedir(dir);
    }
}
