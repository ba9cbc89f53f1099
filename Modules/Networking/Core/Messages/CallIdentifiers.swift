import FoundationEssentials
import StrataSystem

/// Ids of calls, writes and spans: random and unique.
enum CallIdentifiers {
    /// A random UUID (RFC 9562, version 4) in lower case.
    static func uuid() -> String { UUID().text }

    /// Two random numbers.
    static func pair() -> (UInt64, UInt64) { (.random(in: 0 ... .max), .random(in: 0 ... .max)) }

    /// A random number other than zero.
    static func number() -> UInt64 { .random(in: 1 ... .max) }
}
