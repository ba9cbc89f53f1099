#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The error number of a system call that failed.
struct SystemFailure: Error, Hashable {
    let code: Int32

    /// The system's words: `Permission denied`.
    var reason: String { String(cString: strerror(code)) }
    var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// The result of `call`, made again while a signal interrupts it.
    ///
    /// - Parameter call: Answers below zero when it failed and `errno` says why.
    @discardableResult
    static func checking<Result: SignedInteger>(_ call: () -> Result) throws(SystemFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemFailure(code: code) }
        }
    }
}
