#if THREAD_SANITIZER
    import Glibc
#else
    public import Synchronization
#endif

/// A value that one thread at a time may use: `Synchronization.Mutex`.
///
/// ThreadSanitizer does not see that one on Linux and reports each value under it. A build with `STRATA_SANITIZE=thread` has a
/// `pthread_mutex_t` in its place, which it sees.
// Sendable proof: the value is reached by `withLock` alone, under the lock.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    #if THREAD_SANITIZER
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        public init(_ initial: consuming sending Value) {
            lock = .allocate(capacity: 1)
            pthread_mutex_init(lock, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    #else
        @usableFromInline let base: Synchronization.Mutex<Value>

        /// A lock around `initial`.
        @inlinable public init(_ initial: consuming sending Value) { base = Synchronization.Mutex(initial) }

        /// Runs `body` with the value while no other caller has it, and returns its result.
        @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try base.withLock(body)
        }
    #endif
}
