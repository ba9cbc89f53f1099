public import StrataDomain

/// The session of one profile: a document in a file, with the tokens or the number of their item in the keyring.
///
/// The file decides. A login takes effect when the file is replaced: tokens for the keyring go first into an item that the
/// file does not name, and the old item is cleared afterwards. So every crash leaves the old session or the new one.
public struct ProfileTokenStore: TokenStore {
    /// Where a login puts the tokens.
    public enum Place: Sendable {
        /// In a private file, or in the keyring of the desktop.
        case file, keyring
    }

    /// Numbers of the items of the keyring; a login takes the one that is not in use.
    public static let items = [0, 1]

    private let file: FileTokenStore
    private let keyring: @Sendable (_ item: Int) throws(TokenStoreError) -> any TokenStore
    private let login: Place?
    private let warn: @Sendable (String) -> Void

    /// - Parameters:
    ///   - file: Holds the document and the lock.
    ///   - keyring: Makes the store of an item, or says why the keyring cannot be used.
    ///   - login: Where new sessions are put; `nil` for a store that renews the session where it is.
    ///   - warn: Is told of tokens that could not be removed.
    public init(
        file: FileTokenStore, keyring: @escaping @Sendable (_ item: Int) throws(TokenStoreError) -> any TokenStore,
        login: Place? = nil, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.file = file
        self.keyring = keyring
        self.login = login
        self.warn = warn
    }

    public var place: String { if case .keyring = login { keyringPlace(0) } else { file.place } }

    /// A session without its tokens.
    public struct Session: Sendable, Hashable {
        /// `nil` for tokens that name none.
        public var account: SessionAccount?
        /// Whether the tokens are in the keyring, and not in a file.
        public var isInKeyring: Bool
        /// Where the tokens are, for people.
        public var place: String
    }

    /// The session that is stored now; `nil` when there is none. The keyring is not asked.
    public func session() async throws(TokenStoreError) -> Session? {
        guard let document = try await file.document() else { return nil }
        return Session(
            account: document.account, isInKeyring: document.keyringItem != nil,
            place: document.keyringItem.map(keyringPlace) ?? file.place)
    }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        guard let document = try await file.document() else { return nil }
        guard let item = document.keyringItem else {
            do { return try document.tokens() } catch {
                throw TokenStoreError("The \(file.place) is damaged (\(error)).")
            }
        }
        return try await keyring(item).read()
    }

    public func reserve() async throws(TokenStoreError) { try await file.reserve() }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) {
        // A damaged document is replaced.
        let current = try? await file.document()
        let old = current?.keyringItem
        let new: Int? =
            switch login {
            case .file: nil
            case .keyring: old == 0 ? 1 : 0
            case nil: old
            }
        if let new {
            try await keyring(new).write(tokens)
            try await file.write(StoredTokens(keyringItem: new, account: tokens.account))
        } else {
            try await file.write(StoredTokens(tokens))
        }
        guard let old, old != new else { return }
        do { try await keyring(old).clear() } catch {
            warn("The tokens of the session before are still there: \(error)")
        }
    }

    /// Also clears a damaged document, which may have named an item of the keyring.
    public func clear() async throws(TokenStoreError) {
        let document: StoredTokens?
        do throws(TokenStoreError) { document = try await file.document() } catch {
            do throws(TokenStoreError) { try await clearItems() } catch {
                warn("The keyring may still have tokens of the session: \(error)")
            }
            return try await file.clear()
        }
        if document?.keyringItem != nil { try await clearItems() }
        try await file.clear()
    }

    /// Clears both items: the other one may hold the tokens of an interrupted login.
    private func clearItems() async throws(TokenStoreError) {
        for item in Self.items { try await keyring(item).clear() }
    }

    public func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await file.withLock(body)
    }

    private func keyringPlace(_ item: Int) -> String {
        (try? keyring(item).place) ?? "keyring (Secret Service), not reachable"
    }
}
