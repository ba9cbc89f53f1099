import StrataDomain
import StrataTokens

/// The session as it is stored, for what never touches the network: its token tells whose answers are looked up, also
/// when it has expired, and is sent to nobody.
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
