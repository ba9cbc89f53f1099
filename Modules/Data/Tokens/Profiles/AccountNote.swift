import FoundationEssentials
import StrataDomain
import StrataSystem

/// The file of earlier versions with the account beside the tokens; read until the session is stored again.
struct AccountNote: Sendable {
    let path: String

    struct Content {
        var account: SessionAccount
        var isInKeyring: Bool
    }

    /// - Returns: `nil` when there is no usable one: the account of the tokens is unknown.
    func read() async -> Content? {
        await runBlocking { [path] in
            guard let bytes = try? CredentialFile(path: path).read(),
                let stored = try? WireJSON.decode(Stored.self, from: bytes)
            else { return nil }
            return Content(
                account: SessionAccount(server: stored.server, userId: stored.userId, username: stored.username),
                isInKeyring: stored.tokens == "secret-service")
        }
    }

    /// A directory in its place stays.
    func remove() async { await runBlocking { [path] in _ = unlink(path) } }

    private struct Stored: Decodable {
        var server: String
        var userId: String
        var username: String
        var tokens: String?
    }
}
