import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

struct ProfileTokenStoreTests {
    let directory: TemporaryDirectory
    /// The items of a keyring.
    let items = [MemoryTokenStore(), MemoryTokenStore()]
    var path: String { directory.path + "/tokens/default/tokens.json" }

    init() throws { directory = try TemporaryDirectory() }

    private func store(
        _ login: ProfileTokenStore.Place? = nil, isAway: Bool = false,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> ProfileTokenStore {
        ProfileTokenStore(
            file: try FileTokenStore(directory: directory.path + "/tokens"),
            keyring: { [items] number throws(TokenStoreError) in
                if isAway { throw TokenStoreError("The keyring is away.") }
                return items[number]
            },
            login: login, warn: warn)
    }

    /// The number of items with tokens.
    private func held() async throws -> Int {
        var count = 0
        for item in items where try await item.read() != nil { count += 1 }
        return count
    }

    private func login(_ number: Int, of user: String, to place: ProfileTokenStore.Place) async throws {
        try await store(place).write(.of(user, number))
    }

    @Test(arguments: [ProfileTokenStore.Place.file, .keyring], [ProfileTokenStore.Place.file, .keyring])
    func `a login replaces the session in keyring or file, with account and tokens together`(
        first: ProfileTokenStore.Place, second: ProfileTokenStore.Place
    ) async throws {
        try await login(1, of: "ada", to: first)
        #expect(try await store().read() == .of("ada", 1))
        try await login(2, of: "bob", to: second)
        let session = try #require(try await store().session())
        #expect(session.account == .of("bob"))
        #expect(session.isInKeyring == (second == .keyring))
        #expect(session.place == (second == .file ? "file \(path)" : "memory"))
        #expect(try await store().read() == .of("bob", 2))
        // A refresh stores the tokens in the same place.
        try await store().write(.of("bob", 3))
        #expect(try await store().read() == .of("bob", 3))
        #expect(try await held() == (second == .keyring ? 1 : 0))
        try await store().clear()
        #expect(try await store().read() == nil)
        #expect(try await held() == 0)
    }

    @Test func `tokens are stored in the keyring or in the file, not in both`() async throws {
        try await login(1, of: "ada", to: .keyring)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("ada") && !text.contains("access-1") && !text.contains("refresh-1"))
        try await login(2, of: "ada", to: .file)
        #expect(try await held() == 0)
    }

    @Test func `a login that ends between keyring and file keeps the earlier session`() async throws {
        try await login(1, of: "ada", to: .keyring)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let used = try await items[0].read() == nil ? 1 : 0
        // As after a crash: the new item exists, the file is still the old one.
        try await items[1 - used].write(.of("bob", 2))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try await store().read() == .of("ada", 1))
        // The next login uses the unused item.
        try await login(3, of: "carl", to: .keyring)
        #expect(try await items[1 - used].read() == .of("carl", 3))
        #expect(try await items[used].read() == nil)
        try await items[used].write(.of("bob", 2))
        try await store().clear()
        #expect(try await held() == 0, "a logout also removes what an interrupted login left")
    }

    @Test func `an unavailable keyring is an error for the tokens, but not for the account`() async throws {
        try await login(1, of: "ada", to: .keyring)
        let away = try store(isAway: true)
        #expect(try await away.session()?.account == .of("ada"))
        #expect(try await away.session()?.place.contains("not reachable") == true)
        await #expect(throws: TokenStoreError("The keyring is away.")) { try await away.read() }
        await #expect(throws: TokenStoreError("The keyring is away.")) { try await away.clear() }
        #expect(try await store().read() == .of("ada", 1))
    }

    // MARK: - One account's view

    @Test func `a command reads and removes only the session of its account`() async throws {
        try await login(1, of: "ada", to: .file)
        let ada = AccountTokenStore(try store(), account: .of("ada"))
        #expect(try await ada.read() == .of("ada", 1))
        try await login(2, of: "bob", to: .file)
        #expect(try await ada.read() == nil)
        try await ada.clear()
        #expect(try await store().read() == .of("bob", 2))
        let nobody = AccountTokenStore(try store(), account: nil)
        #expect(try await nobody.read() == nil)
        try await nobody.clear()
        #expect(try await store().read() == .of("bob", 2))
    }

    @Test func `tokens of another user are neither used nor stored for the account`() async throws {
        var swapped = SessionTokens.of("bob", 1)
        swapped.account = .of("ada")
        try await store().write(swapped)
        let ada = AccountTokenStore(try store(), account: .of("ada"))
        #expect(try await ada.read() == nil)
        await #expect(throws: TokenStoreError.self) { try await ada.write(.of("bob", 2)) }
        #expect(try await store().read() == swapped)
    }

    @Test func `a damaged document is an error for a read, and a logout removes it`() async throws {
        try await login(1, of: "ada", to: .file)
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        let nobody = AccountTokenStore(try store(), account: nil)
        await #expect(throws: TokenStoreError.self) { try await nobody.read() }
        try await nobody.clear()
        #expect(try await store().session() == nil)
    }

    @Test(arguments: ["damaged", "readable by others"])
    func `a logout clears the keyring too when the document cannot be read`(_ fault: String) async throws {
        try await login(1, of: "ada", to: .keyring)
        try spoil(fault)
        try await store().clear()
        #expect(try await held() == 0)
        #expect(try await store().session() == nil)
    }

    @Test func `a logout removes a damaged document without the keyring, and warns of the tokens there`() async throws {
        try await login(1, of: "ada", to: .keyring)
        try spoil("damaged")
        let (warnings, continuation) = AsyncStream.makeStream(of: String.self)
        try await store(isAway: true, warn: { continuation.yield($0) }).clear()
        continuation.finish()
        #expect(await warnings.contains { $0.contains("The keyring is away.") })
        #expect(try await store().session() == nil)
        #expect(try await held() == 1)
    }

    /// Makes the document of the session one that is not read.
    private func spoil(_ fault: String) throws {
        if fault == "damaged" { return try Data("{".utf8).write(to: URL(fileURLWithPath: path)) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }

    @Test func `a watch reports a later login of the user and ends at a login of another user`() async throws {
        let (store, clock) = (try store(), ManualClock())
        try await login(1, of: "ada", to: .file)
        let (logins, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = Task { try await store.watchLogins(of: .of("ada"), on: clock) { continuation.yield() } }
        await clock.waitForSleeper()
        var later = SessionTokens.of("ada", 2)
        later.account?.loggedInAt = Date(timeIntervalSince1970: 7)
        try await self.store(.file).write(later)
        clock.advance(by: .seconds(1))
        var iterator = logins.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        await clock.waitForSleeper()
        try await login(3, of: "bob", to: .file)
        clock.advance(by: .seconds(1))
        await #expect(throws: DomainError.self) { try await watch.value }
    }
}

extension SessionAccount {
    fileprivate static func of(_ user: String) -> SessionAccount {
        SessionAccount(server: "http://tides.test:80", userId: user, username: user)
    }
}

extension SessionTokens {
    /// Tokens with an access token of `user`: a JSON Web Token with the claims that a client reads.
    fileprivate static func of(_ user: String, _ number: Int) -> SessionTokens {
        var tokens = SessionTokens.number(number)
        let claims = Data(#"{"jti":"access-\#(number)","sub":"\#(user)"}"#.utf8).base64EncodedString()
        tokens.access = Secret("e30.\(claims.replacing("=", with: "")).x")
        tokens.account = .of(user)
        return tokens
    }
}
