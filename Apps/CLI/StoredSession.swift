import StrataDomain
import StrataTokens

/// The stored session, for commands that send nothing: its token selects the partition of the cache, even
/// after it expired, and is never sent.
struct StoredSession: TokenProvider {
    let store: any TokenStore

    func currentToken() async throws(NetworkError) -> Secret? {
        do throws(TokenStoreError) { return try await store.read()?.access } catch {
            throw NetworkError(.storage(error.description))
        }
    }

    func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        throw NetworkError(.unauthorized(nil))
    }

    func endSession() async {}

    func account(of token: Secret) -> String? { TokenAccount.name(token) }
}
