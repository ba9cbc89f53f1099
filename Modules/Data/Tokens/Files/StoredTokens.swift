import FoundationEssentials
import StrataDomain

/// The document of a session in the file or in an item of the keyring: account and tokens.
///
/// In the file, `keyringItem` may replace the tokens: they are in the keyring.
struct StoredTokens: Codable {
    /// 1: with tokens. 2: with `keyringItem`, which programs of format 1 cannot follow.
    var format = 1
    var accessToken: String?
    var refreshToken: String?
    var expiresAt: Date?
    var issuedAt: Date?
    var clockOffset: Double?
    // Without an account: a document of a credential.
    var server: String?
    var userId: String?
    var username: String?
    var loggedInAt: Date?
    /// Number of the item in the keyring that has the same account and its tokens.
    var keyringItem: Int?

    init(_ tokens: SessionTokens) {
        accessToken = tokens.access.reveal()
        refreshToken = tokens.refresh?.reveal()
        expiresAt = tokens.expiresAt
        issuedAt = tokens.issuedAt
        clockOffset = tokens.clockOffset
        account = tokens.account
    }

    init(keyringItem: Int, account: SessionAccount?) {
        format = 2
        self.keyringItem = keyringItem
        self.account = account
    }

    /// - Throws: Why the document cannot be used, without any of its values.
    init(from bytes: Data) throws(Unusable) {
        do { self = try WireJSON.decode(StoredTokens.self, from: bytes) } catch {
            throw Unusable(description: bytes.isEmpty ? "it is empty" : "\(error)")
        }
        switch format {
        case 1: _ = try tokens()
        case 2 where keyringItem != nil: break
        default: throw Unusable(description: "its format \(format) is not one that this program knows")
        }
    }

    var account: SessionAccount? {
        get {
            guard let server, let userId, let username else { return nil }
            return SessionAccount(server: server, userId: userId, username: username, loggedInAt: loggedInAt)
        }
        set {
            (server, userId, username) = (newValue?.server, newValue?.userId, newValue?.username)
            loggedInAt = newValue?.loggedInAt
        }
    }

    func bytes() throws -> Data { try WireJSON.encode(self) }

    /// - Throws: For a document without tokens.
    func tokens() throws(Unusable) -> SessionTokens {
        guard let accessToken, let expiresAt else { throw Unusable(description: "a token or its end is missing") }
        guard !accessToken.isEmpty, refreshToken != "" else { throw Unusable(description: "a token in it is empty") }
        return SessionTokens(
            access: Secret(accessToken), refresh: refreshToken.map { Secret($0) }, expiresAt: expiresAt,
            issuedAt: issuedAt,
            clockOffset: clockOffset, account: account)
    }

    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }
}
