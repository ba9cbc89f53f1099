import Crypto
import FoundationEssentials

/// Where a client stands in the order of changes; opaque to the client.
struct SyncCursor: Sendable, Hashable {
    /// Names one life of the database; another one means that the data was replaced.
    var epoch: String
    /// The client has everything up to this version.
    var after: Int
    /// End of the round that is being paged; `nil` between rounds.
    var upTo: Int?
    /// Whether the round began without a cursor.
    var isReplacement = false
}

extension SyncCursor {
    /// Fields and a checksum. The checksum finds what was cut, mistyped or made up; it keeps no secret, since a cursor
    /// gives nobody more than a pull from the start would.
    var text: String {
        let fields = [epoch, String(after), upTo.map { String($0) } ?? "", isReplacement ? "r" : ""]
            .joined(separator: ".")
        return Base64URL.encode(Self.checksum(fields) + Array(fields.utf8))
    }

    /// - Returns: `nil` for anything that `text` did not write.
    init?(_ text: String) {
        guard text.utf8.count <= 200, let bytes = Base64URL.decode(text), bytes.count > Self.checksumLength,
            let fields = String(validating: bytes.dropFirst(Self.checksumLength), as: UTF8.self),
            Self.checksum(fields) == Array(bytes.prefix(Self.checksumLength))
        else { return nil }
        let parts = fields.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let after = Int(parts[1]), after >= 0 else { return nil }
        let upTo = Int(parts[2])
        guard parts[2].isEmpty || (upTo ?? -1) >= after else { return nil }
        self.init(epoch: String(parts[0]), after: after, upTo: upTo, isReplacement: parts[3] == "r")
    }

    private static let checksumLength = 8

    private static func checksum(_ fields: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("strata-sync-cursor-1.\(fields)".utf8)).prefix(checksumLength))
    }
}
