/* Loaded before the C library: counts what a program does to the files below a folder, and lets the
 * n-th of it fail, or kills the program in its middle.
 *
 *   FAULT_FOLDER  the folder, as an absolute path
 *   FAULT_AT      which call; 0 or nothing: none
 *   FAULT_KIND    kill: the program is killed; a write has written half by then
 *                 full: from that call on nothing can be made or written
 *                 broken: that call alone fails as on a disk that is broken
 *   FAULT_COUNT   a file for the number of calls, written at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, KILL, FULL, BROKEN };
enum what { GIVES, TAKES }; /* room on the disk */

static atomic_long seen;
static const char *folder;
static long at;
static enum kind kind;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAULT_AT"), *name = getenv("FAULT_KIND");
    folder = getenv("FAULT_FOLDER");
    at = number ? atol(number) : 0;
    if (name)
        kind = !strcmp(name, "kill") ? KILL : !strcmp(name, "full") ? FULL : BROKEN;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", (long)seen);
        fclose(file);
    }
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Whether this call is the one, and with which error; KILL is -1. */
static int fault(enum what what)
{
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (!at || number < at || (number > at && kind != FULL))
        return 0;
    if (kind == KILL)
        return -1;
    if (kind == FULL)
        return what == TAKES ? ENOSPC : 0;
    return EIO;
}

static int below(const char *path)
{
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int path_of(int fd, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return 1;
}

static int fd_below(int fd)
{
    char path[PATH_MAX];
    return path_of(fd, path) && below(path);
}

static int path_below(int at_fd, const char *path)
{
    char from[PATH_MAX], whole[2 * PATH_MAX];
    if (path[0] == '/')
        return below(path);
    if (at_fd == AT_FDCWD ? !getcwd(from, sizeof from) : !path_of(at_fd, from))
        return 0;
    snprintf(whole, sizeof whole, "%s/%s", from, path);
    return below(whole);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Fails the call where it is the one. */
#define GUARD(is_below, what)                   \
    do {                                        \
        int wrong = (is_below) ? fault(what) : 0; \
        if (wrong < 0)                          \
            die();                              \
        if (wrong) {                            \
            errno = wrong;                      \
            return -1;                          \
        }                                       \
    } while (0)

#define OPEN(name)                                                            \
    int name(const char *path, int flags, ...)                                \
    {                                                                         \
        va_list list;                                                         \
        va_start(list, flags);                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                                         \
        GUARD(path_below(AT_FDCWD, path), flags & O_CREAT ? TAKES : GIVES);   \
        return REAL(name)(path, flags, mode);                                 \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                          \
    int name(int fd, const char *path, int flags, ...)                        \
    {                                                                         \
        va_list list;                                                         \
        va_start(list, flags);                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                                         \
        GUARD(path_below(fd, path), flags & O_CREAT ? TAKES : GIVES);         \
        return REAL(name)(fd, path, flags, mode);                             \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *bytes, size_t count)
{
    int wrong = fd_below(fd) ? fault(TAKES) : 0;
    if (wrong < 0) {
        REAL(write)(fd, bytes, count / 2);
        die();
    }
    if (wrong) {
        errno = wrong;
        return -1;
    }
    return REAL(write)(fd, bytes, count);
}

int fsync(int fd)
{
    GUARD(fd_below(fd), TAKES);
    return REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    GUARD(fd_below(fd), TAKES);
    return REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t length)
{
    GUARD(fd_below(fd), GIVES);
    return REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off64_t length)
{
    GUARD(fd_below(fd), GIVES);
    return REAL(ftruncate64)(fd, length);
}

int rename(const char *from, const char *to)
{
    GUARD(path_below(AT_FDCWD, from), TAKES);
    return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    GUARD(path_below(AT_FDCWD, path), TAKES);
    return REAL(mkdir)(path, mode);
}

int unlink(const char *path)
{
    GUARD(path_below(AT_FDCWD, path), GIVES);
    return REAL(unlink)(path);
}

int rmdir(const char *path)
{
    GUARD(path_below(AT_FDCWD, path), GIVES);
    return REAL(rmdir)(path);
}

int unlinkat(int fd, const char *path, int flags)
{
    GUARD(path_below(fd, path), GIVES);
    return REAL(unlinkat)(fd, path, flags);
}
