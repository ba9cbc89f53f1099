import Crypto
import FoundationEssentials
import StrataHTTP

/// Fields as opaque text with a checksum, which detects truncated or edited text. It is no signature: a forged cursor gives
/// access to nothing that a pull from the start does not.
enum ChecksummedText {
    /// - Parameters:
    ///   - kind: Name and revision of the fields; text of another kind does not decode.
    ///   - fields: Without NUL.
    static func encode(_ fields: [String], as kind: String) -> String {
        let joined = fields.joined(separator: "\0")
        return Base64URL.encode(checksum(joined, kind) + Array(joined.utf8))
    }

    /// - Returns: `nil` for text that `encode` did not write.
    static func decode(_ text: String, as kind: String) -> [String]? {
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
