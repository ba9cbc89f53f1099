import FoundationEssentials
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file in which earlier versions kept the account beside the tokens; read until the session is stored anew.
struct AccountNote: Sendable {
    let path: String

    struct Content {
        var account: SessionAccount
        var isInKeyring: Bool
    }

    /// - Returns: `nil` when there is none that can be used: the tokens are then of no known account.
    func read() async -> Content? {
        await queue.run { [path] in
            guard let bytes = try? CredentialFile(path: path).read(),
                let stored = try? WireJSON.decode(Stored.self, from: bytes)
            else { return nil }
            return Content(
                account: SessionAccount(server: stored.server, userId: stored.userId, username: stored.username),
                isInKeyring: stored.tokens == "secret-service")
        }
    }

    /// A folder in its place is left alone.
    func remove() async { await queue.run { [path] in _ = unlink(path) } }

    private var queue: BlockingQueue { BlockingQueue(label: "strata.tokens.note") }

    private struct Stored: Decodable {
        var server: String
        var userId: String
        var username: String
        var tokens: String?
    }
}
