/// The result of a C call, repeated while a signal interrupts it.
///
/// - Parameter call: Returns a negative number and sets `errno` when it fails.
@discardableResult
public func systemCall<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        if result >= 0 { return result }
        let error = Errno(rawValue: errno)
        if error != .interrupted { throw error }
    }
}

/// The result of swift-system's functions, which throw only `Errno` but do not declare it.
@discardableResult
public func throwingErrno<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
    do { return try body() } catch let error as Errno { throw error } catch { throw .ioError }
}

extension Errno {
    /// The disk or the user's share of it is full.
    public var isDiskFull: Bool { self == .noSpace || self == .diskQuotaExceeded }
}
