import Crypto
import FoundationEssentials
public import StrataDomain

/// What a lease is for: a byte of the lock file that stands for a name.
///
/// Two names meet in one byte once in 2⁶² pairs; they would only wait for each other.
public struct LeaseKey: Sendable, Hashable {
    /// From 0 to 2⁶² − 1.
    let place: Int64

    /// - Parameters:
    ///   - purpose: Whose names these are; equal names of two purposes are two keys.
    ///   - name: Any text.
    public init(purpose: String, _ name: String) {
        var hash = SHA256()
        hash.update(data: Data("\(purpose.utf8.count):\(purpose)\(name)".utf8))
        let first = hash.finalize().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        place = Int64(first >> 2)
    }

    /// The lease for fetching the value of `key`.
    public init(_ key: CacheKey) { self.init(purpose: "value", key.text) }

    /// The lease for asking the origin about the responses of `key`.
    public init(_ key: HTTPCacheKey) {
        self.init(purpose: "response", "\(key.principal.utf8.count):\(key.principal)\(key.url)")
    }
}

/// How a lease was come by. In each case a caller looks into its store again before it fetches.
public enum LeaseGrant: Sendable, Hashable {
    /// Nobody had it.
    case atOnce
    /// Somebody had it and is done, or died.
    case afterWaiting
    /// Somebody has it still, and the time to wait is over: the caller goes on without it.
    case busy
}
