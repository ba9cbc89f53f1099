/// Work under the lock of a token store. The name has the same reason as `ReceiveBody`.
public typealias LockedWork<Result> = @Sendable () async throws -> Result

/// Stores the session of one named account, tokens and account together, like a keychain item.
///
/// Several processes may share one store. An implementation writes atomically and durably, and only the owner can
/// read the data.
public protocol TokenStore: Sendable {
    /// The place of the tokens, for display: `file /home/u/.local/state/tides/default/tokens.json`.
    var place: String { get }

    /// Whether `write` and `clear` always refuse. Default: no.
    ///
    /// Tokens of such a store are not renewed: the server would rotate them, and the new ones would be lost.
    var isReadOnly: Bool { get }

    /// - Returns: `nil` without a session.
    func read() async throws(TokenStoreError) -> SessionTokens?

    /// Makes sure that the next `write` inside the same lock does not fail for lack of space. Default: does nothing.
    ///
    /// Call it before a request whose response must be stored.
    func reserve() async throws(TokenStoreError)
    /// Stores the tokens, durably, before it returns.
    func write(_ tokens: SessionTokens) async throws(TokenStoreError)
    /// Removes the tokens.
    func clear() async throws(TokenStoreError)

    /// Runs `body` under a lock that excludes other tasks and other processes. The lock ends with its process.
    func withLock<Result: Sendable>(_ body: LockedWork<Result>) async throws -> Result
}

extension TokenStore {
    public var isReadOnly: Bool { false }
    public func reserve() async throws(TokenStoreError) {}
}

/// A token store that cannot be used, with the reason and the next step.
public struct TokenStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// An error with a sentence that names the place and the next step.
    public init(_ description: String) { self.description = description }
}
