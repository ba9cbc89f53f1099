/* delay LISTEN TARGET MICROSECONDS: passes bytes between the clients of one Unix socket and the server of another, each byte so
   many microseconds later in each direction. A network of that distance, where the kernel has no netem. One thread; the order of
   bytes is kept. It prints a line when it listens. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* One of the two sockets of a connection. It is never freed: a late event may name it. */
struct end {
    int fd;
    int is_finished; /* what the other end sent has all arrived here */
    struct end *other;
};

/* Bytes on their way; none for the end of the stream. All have the same delay, so one list is in the order of arrival. */
struct chunk {
    struct chunk *next;
    struct end *to;
    long long due;
    size_t size;
    char bytes[];
};

static struct chunk *first, **last = &first;
static long long delay;
static int poller, timer;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void set_timer(void) {
    struct itimerspec spec = {{0, 0}, {0, 0}};
    if (first) {
        spec.it_value.tv_sec = first->due / 1000000000LL;
        spec.it_value.tv_nsec = first->due % 1000000000LL;
    }
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void push(struct end *to, const char *bytes, size_t size) {
    struct chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk) fail("malloc");
    chunk->next = NULL;
    chunk->to = to;
    chunk->due = now() + delay;
    chunk->size = size;
    memcpy(chunk->bytes, bytes, size);
    int was_empty = !first;
    *last = chunk;
    last = &chunk->next;
    if (was_empty) set_timer();
}

static void deliver(struct chunk *chunk) {
    struct end *to = chunk->to;
    if (to->fd < 0) return;
    for (size_t sent = 0; sent < chunk->size;) {
        ssize_t count = send(to->fd, chunk->bytes + sent, chunk->size - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break; /* The reading side of this socket sees the end. */
        sent += (size_t)count;
    }
    if (chunk->size == 0) {
        shutdown(to->fd, SHUT_WR);
        to->is_finished = 1;
        if (to->other->is_finished) {
            close(to->fd);
            close(to->other->fd);
            to->fd = to->other->fd = -1;
        }
    }
}

static int connected(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static void watch(int fd, void *place) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = place};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
}

static void begin(int client, const char *target) {
    int server = connected(target);
    if (server < 0) {
        close(client);
        return;
    }
    struct end *ends = calloc(2, sizeof *ends);
    if (!ends) fail("calloc");
    ends[0] = (struct end){client, 0, &ends[1]};
    ends[1] = (struct end){server, 0, &ends[0]};
    watch(client, &ends[0]);
    watch(server, &ends[1]);
}

static void receive(struct end *from) {
    static char bytes[65536];
    if (from->fd < 0) return;
    ssize_t count = recv(from->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) epoll_ctl(poller, EPOLL_CTL_DEL, from->fd, NULL);
    push(from->other, bytes, count > 0 ? (size_t)count : 0);
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "delay LISTEN TARGET MICROSECONDS\n");
        return 64;
    }
    delay = atoll(words[3]) * 1000;
    prctl(PR_SET_TIMERSLACK, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(words[1]) >= sizeof address.sun_path) {
        fprintf(stderr, "The path '%s' is too long for a socket; use a shorter temporary folder.\n", words[1]);
        return 64;
    }
    strcpy(address.sun_path, words[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0)
        fail(words[1]);
    chmod(words[1], 0777);
    poller = epoll_create1(EPOLL_CLOEXEC);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (poller < 0 || timer < 0) fail("epoll_create1");
    watch(listener, &listener);
    watch(timer, &timer);
    printf("listening on %s\n", words[1]);
    fflush(stdout);
    while (1) {
        struct epoll_event events[64];
        int ready = epoll_wait(poller, events, 64, -1);
        for (int place = 0; place < ready; place++) {
            void *what = events[place].data.ptr;
            if (what == &listener) {
                int client = accept(listener, NULL, NULL);
                if (client >= 0) begin(client, words[2]);
            } else if (what == &timer) {
                unsigned long long expirations;
                if (read(timer, &expirations, sizeof expirations) < 0) continue;
            } else {
                receive(what);
            }
        }
        int was_late = 0;
        while (first && first->due <= now()) {
            struct chunk *chunk = first;
            first = chunk->next;
            if (!first) last = &first;
            deliver(chunk);
            free(chunk);
            was_late = 1;
        }
        if (was_late) set_timer();
    }
}
