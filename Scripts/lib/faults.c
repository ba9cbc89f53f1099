// Tests load this library into a real program with LD_PRELOAD. It injects faults at exact system calls; the product has no hook.
//
//   FAULTS_UNDER=DIR    Counts the calls that change files below DIR: writes, truncations, syncs, renames, removals.
//   FAULTS_AT=N         Applies FAULTS_HOW to the Nth of them, from 1. Default: they are only counted.
//   FAULTS_HOW=before   SIGKILL instead of the call (default).
//   FAULTS_HOW=torn     SIGKILL after half of the bytes are written.
//   FAULTS_HOW=full     This call and all later ones that need space fail with ENOSPC.
//   FAULTS_ARMED=FILE   Counts only while FILE exists.
//   FAULTS_LOG=FILE     Writes a line for each counted call: number, name, path.
//   FAULTS_CLOCK=S      Adds S seconds to the wall clock.
//   FAULTS_CLOCK==S     Stops the wall clock at S seconds since 1970.
//   FAULTS_CLOCK=@FILE  Adds the seconds in FILE, which is read at each call; 0 while it does not exist.
//   FAULTS_CLOCK=~S     Makes the wall clock jump between S seconds ahead and S behind, at each call.
//   FAULTS_SYNC=@FILE   A sync takes longer by the milliseconds in FILE, as on a slow disk; 0 while it does not exist.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long count;
static atomic_long looks;

static int is_below(const char *path) {
    const char *root = getenv("FAULTS_UNDER");
    return root && path && strncmp(path, root, strlen(root)) == 0;
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return 1;
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

enum fate { goes_on, tears, is_full };

// The fault for this call. Does not return if the process is killed before the call.
static enum fate counted(const char *name, const char *path, int needs_room) {
    const char *armed = getenv("FAULTS_ARMED");
    if (armed && syscall(SYS_faccessat, AT_FDCWD, armed, F_OK) != 0) return goes_on;
    long number = atomic_fetch_add(&count, 1) + 1;
    const char *log = getenv("FAULTS_LOG");
    if (log) {
        char line[600];
        int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
        long fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0) {
            syscall(SYS_write, fd, line, length);
            syscall(SYS_close, fd);
        }
    }
    const char *at = getenv("FAULTS_AT");
    const char *how = getenv("FAULTS_HOW");
    if (!at || number < atol(at)) return goes_on;
    if (how && strcmp(how, "full") == 0) return needs_room ? is_full : goes_on;
    if (number > atol(at)) return goes_on;
    if (how && strcmp(how, "torn") == 0 && needs_room) return tears;
    die();
    return goes_on;
}

static enum fate counted_fd(const char *name, int fd, int needs_room) {
    char path[512];
    if (!path_of(fd, path, sizeof path) || !is_below(path)) return goes_on;
    return counted(name, path, needs_room);
}

static long full(void) {
    errno = ENOSPC;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    enum fate fate = counted_fd("write", fd, 1);
    if (fate == is_full) return full();
    if (fate == tears) {
        syscall(SYS_write, fd, bytes, size / 2);
        die();
    }
    return syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
    enum fate fate = counted_fd("pwrite", fd, 1);
    if (fate == is_full) return full();
    if (fate == tears) {
        syscall(SYS_pwrite64, fd, bytes, size / 2, offset);
        die();
    }
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return pwrite64(fd, bytes, size, offset); }

ssize_t writev(int fd, const struct iovec *parts, int number) {
    enum fate fate = counted_fd("writev", fd, 1);
    if (fate == is_full) return full();
    if (fate == tears) {
        syscall(SYS_writev, fd, parts, number / 2);
        die();
    }
    return syscall(SYS_writev, fd, parts, number);
}

int ftruncate64(int fd, off64_t size) {
    counted_fd("ftruncate", fd, 0);
    return syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

// The number in a file; 0 if there is none. Keeps errno.
static long number_in(const char *path) {
    char text[24] = {0};
    int before = errno;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
        syscall(SYS_read, fd, text, sizeof text - 1);
        syscall(SYS_close, fd);
    }
    errno = before;
    return atol(text);
}

static void wait_for_disk(void) {
    const char *file = getenv("FAULTS_SYNC");
    if (file && *file == '@') usleep(1000 * number_in(file + 1));
}

int fsync(int fd) {
    counted_fd("fsync", fd, 0);
    wait_for_disk();
    return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    counted_fd("fdatasync", fd, 0);
    wait_for_disk();
    return syscall(SYS_fdatasync, fd);
}

int unlinkat(int at, const char *path, int flags) {
    if (is_below(path)) counted("unlink", path, 0);
    return syscall(SYS_unlinkat, at, path, flags);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    if (is_below(new)) counted("rename", new, 0);
    return syscall(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) { return renameat2(from, old, to, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

int link(const char *old, const char *new) {
    if (is_below(new)) counted("link", new, 0);
    return syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

static void bend(struct timespec *now) {
    const char *clock = getenv("FAULTS_CLOCK");
    if (!clock || !*clock) return;
    if (*clock == '=') {
        now->tv_sec = atol(clock + 1);
        now->tv_nsec = 0;
    } else if (*clock == '@') {
        now->tv_sec += number_in(clock + 1);
    } else if (*clock == '~') {
        now->tv_sec += atomic_fetch_add(&looks, 1) % 2 ? -atol(clock + 1) : atol(clock + 1);
    } else {
        now->tv_sec += atol(clock);
    }
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, id, now);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) bend(now);
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (result) *result = exact.tv_sec;
    return exact.tv_sec;
}
