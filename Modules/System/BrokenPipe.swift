/// Runs `body`, a call of a C library that writes to sockets, so that a closed socket does not end the process with SIGPIPE.
package func ignoringBrokenPipe(_ body: () -> Void) {
    var (signals, before, none) = (sigset_t(), sigset_t(), timespec(tv_sec: 0, tv_nsec: 0))
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    body()
    // The signal of this thread would end the process as soon as it is not blocked.
    while sigtimedwait(&signals, nil, &none) < 0, errno == EINTR {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
}
