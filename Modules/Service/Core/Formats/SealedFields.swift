import Crypto
import FoundationEssentials

/// Fields as opaque text for a client, with a checksum. The checksum finds what was cut, mistyped or made up; it keeps no
/// secret, since a cursor gives nobody more than a pull from the start would.
enum SealedFields {
    /// - Parameters:
    ///   - kind: Name and revision of what is sealed; text of another kind cannot be opened.
    ///   - fields: Without NUL.
    static func seal(_ fields: [String], as kind: String) -> String {
        let joined = fields.joined(separator: "\0")
        return Base64URL.encode(checksum(joined, kind) + Array(joined.utf8))
    }

    /// - Returns: `nil` for anything that `seal` did not write.
    static func open(_ text: String, as kind: String) -> [String]? {
        guard text.utf8.count <= 600, let bytes = Base64URL.decode(text), bytes.count >= checksumLength,
            let joined = String(validating: bytes.dropFirst(checksumLength), as: UTF8.self),
            checksum(joined, kind) == Array(bytes.prefix(checksumLength))
        else { return nil }
        return joined.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    }

    private static let checksumLength = 8

    private static func checksum(_ fields: String, _ kind: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(kind).\(fields)".utf8)).prefix(checksumLength))
    }
}
