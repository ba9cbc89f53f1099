import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// Credentials of a systemd service, which can only be read.
struct CredentialTokenStoreTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func store(_ content: String?) throws -> CredentialTokenStore {
        if let content { try content.write(toFile: directory.path + "/api", atomically: true, encoding: .utf8) }
        return try CredentialTokenStore(name: "api", environment: ["CREDENTIALS_DIRECTORY": directory.path])
    }

    @Test func `the JSON of the file store is read`() async throws {
        let store = try store(String(decoding: StoredTokens(.number(1)).bytes(), as: UTF8.self))
        #expect(try await store.read() == .number(1))
        #expect(store.place == "credential \(directory.path)/api")
    }

    @Test func `plain text is an access token that does not expire, or an API key`() async throws {
        let store = try store(" slh_key \n")
        let tokens = try await store.read()
        #expect(tokens?.access == Secret("slh_key") && tokens?.expiresAt == .distantFuture)
        #expect(try await store.secret() == Secret("slh_key"))
        let provider = RefreshingTokenProvider(store: store, refresher: FakeRefresher { _, _ in .number(2) })
        #expect(try await provider.currentToken() == Secret("slh_key"))
    }

    @Test func `a missing credential gives no session and no key`() async throws {
        let store = try store(nil)
        #expect(try await store.read() == nil)
        let error = await #expect(throws: TokenStoreError.self) { _ = try await store.secret() }
        #expect(error?.description.contains("LoadCredential=api:PATH") == true)
    }

    @Test(arguments: [nil, "", "relative/path"])
    func `a process without credentials gets an error`(variable: String?) {
        var environment: [String: String] = [:]
        environment["CREDENTIALS_DIRECTORY"] = variable
        let error = #expect(throws: TokenStoreError.self) {
            try CredentialTokenStore(name: "api", environment: environment)
        }
        #expect(error?.description.contains("CREDENTIALS_DIRECTORY") == true)
    }

    @Test(arguments: ["", ".", "..", "a/b", "/etc/passwd", "a\u{0}b"])
    func `a name cannot name a path outside the directory`(name: String) {
        #expect(throws: TokenStoreError.self) {
            try CredentialTokenStore(name: name, environment: ["CREDENTIALS_DIRECTORY": directory.path])
        }
    }

    @Test func `writing and removing are refused with the next step`() async throws {
        let store = try store("key")
        for error in [
            await #expect(throws: TokenStoreError.self) { try await store.write(.number(1)) },
            await #expect(throws: TokenStoreError.self) { try await store.clear() },
        ] {
            #expect(error?.description.contains("LoadCredential=") == true)
        }
        #expect(try await store.secret() == Secret("key"))
    }

    @Test func `a token that cannot be replaced is not refreshed`() async throws {
        let clock = ManualWallClock(SessionTokens.noon)
        let store = try store(String(decoding: StoredTokens(.number(1)).bytes(), as: UTF8.self))
        let refresher = FakeRefresher { _, _ in .number(2) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let refused = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(refused.error?.description.contains("put a new one there") == true)
        clock.advance(by: .seconds(880))
        #expect(try await provider.currentToken() == Secret("access-1"), "it is used to its last second")
        #expect(refresher.sent.isEmpty)
    }

    @Test(arguments: ["{", #"{"format":1}"#, "", " \n ", "two words", "two\nlines", "ü", #"{"access_token":"CANARY"}"#])
    func `the error names a damaged credential`(content: String) async throws {
        let store = try store(content)
        let error = await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error?.description.contains(directory.path + "/api") == true)
        #expect(error?.description.contains("CANARY") == false)
    }

    @Test func `a directory at the path of the credential is an error`() async throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/api", withIntermediateDirectories: false)
        let store = try store(nil)
        await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
    }
}
