public import StrataDomain

/// The tokens of a store as they are, for calls that must not touch the network.
///
/// A cache looks up its entries under the account of the token, which may have expired. No token is sent or renewed.
public struct StoredSession: TokenProvider {
    private let store: any TokenStore

    /// The session that `store` holds.
    public init(store: any TokenStore) { self.store = store }

    public func currentToken() async throws(NetworkError) -> Secret? {
        do throws(TokenStoreError) { return try await store.read()?.access } catch {
            throw NetworkError(.storage(error.description))
        }
    }

    public func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        throw NetworkError(.unauthorized(nil))
    }

    public func endSession() async {}

    public func account(of token: Secret) -> String? { TokenAccount.name(token) }
}
