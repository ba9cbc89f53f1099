/// A job that cannot be stored, or a list of jobs that contradicts itself: a defect of the program.
public enum JobError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The payload of a job of this kind is too large.
    case payload(_ kind: String, bytes: Int)
    /// The key of a job of this kind is empty, too long or has a zero byte.
    case key(_ kind: String, bytes: Int)
    /// This is no name of a job.
    case kind(String)
    /// Two handlers have one kind.
    case duplicate(_ kind: String)

    static let largestPayload = 256 << 10
    static let longestKey = 500

    public var description: String {
        switch self {
        case .payload(let kind, let bytes):
            "A job '\(kind)' has a payload of \(bytes) bytes; at most \(Self.largestPayload) are stored. Store the data in a table, "
                + "and its id in the job."
        case .key(let kind, let bytes):
            "A job '\(kind)' has a key of \(bytes) bytes; use 1 to \(Self.longestKey) bytes without NUL, or nil for no key."
        case .kind(let kind):
            "'\(kind.prefix(100))' is no name of a job; use 1 to 64 of a-z, 0-9, '.', '_' and '-'."
        case .duplicate(let kind): "Two handlers have the name '\(kind)'; give one of them another name."
        }
    }

    /// - Throws: `kind` for a name that is not allowed.
    static func check(kind: String) throws(JobError) {
        let isAllowed = kind.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isAllowed, (1...64).contains(kind.utf8.count) else { throw .kind(kind) }
    }

    /// - Throws: `kind` and `duplicate`.
    static func check(_ handlers: [JobHandler]) throws(JobError) {
        var known: Set<String> = []
        for handler in handlers {
            try check(kind: handler.kind)
            guard known.insert(handler.kind).inserted else { throw .duplicate(handler.kind) }
        }
    }
}
