import FoundationEssentials
import StrataDomain

/// Tokens as they stand in the file.
struct StoredTokens: Codable {
    /// Raised when an older program could not read the file any more.
    var format = 1
    var accessToken: String
    var refreshToken: String
    var expiresAt: Date
    var issuedAt: Date?
    var clockOffset: Double?

    static func bytes(of tokens: SessionTokens) throws -> Data {
        try WireJSON.encode(
            StoredTokens(
                accessToken: tokens.access.reveal(), refreshToken: tokens.refresh.reveal(), expiresAt: tokens.expiresAt,
                issuedAt: tokens.issuedAt, clockOffset: tokens.clockOffset))
    }

    /// - Throws: Why the file cannot be used, without any of its values.
    static func tokens(from bytes: Data) throws(Unusable) -> SessionTokens {
        let stored: StoredTokens
        do { stored = try WireJSON.decode(StoredTokens.self, from: bytes) } catch {
            throw Unusable(description: bytes.isEmpty ? "it is empty" : "\(error)")
        }
        guard stored.format == 1 else {
            throw Unusable(description: "its format \(stored.format) is newer than this program knows")
        }
        guard !stored.accessToken.isEmpty, !stored.refreshToken.isEmpty else {
            throw Unusable(description: "a token in it is empty")
        }
        return SessionTokens(
            access: Secret(stored.accessToken), refresh: Secret(stored.refreshToken), expiresAt: stored.expiresAt,
            issuedAt: stored.issuedAt, clockOffset: stored.clockOffset)
    }

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }
}
