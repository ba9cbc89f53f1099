import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// The keyring through a real process, which runs a script.
struct SecretServiceTokenStoreTests {
    let directory: TemporaryDirectory
    let fake: FakeSecretTool

    init() throws {
        directory = try TemporaryDirectory()
        fake = try FakeSecretTool(in: directory)
    }

    @Test func `the description of the place names the item`() throws {
        #expect(try fake.store().place == "keyring (Secret Service), service 'strata', account 'default'")
    }

    @Test func `arguments and environment of the program contain no secret`() async throws {
        let store = try fake.store()
        let tokens = SessionTokens(
            access: Secret("CANARY-a"), refresh: Secret("CANARY-r"), expiresAt: SessionTokens.noon)
        try await store.probe()
        try await store.write(tokens)
        #expect(try await store.read() == tokens)
        try await store.clear()
        #expect(fake.calls.contains("store --label=Session of strata service strata account default"))
        #expect(!fake.calls.contains("CANARY"))
        #expect(fake.items.isEmpty)
    }

    @Test func `a missing program is an error with the next step`() {
        var environment = fake.environment
        for path in ["", "/nonexistent", ".:relative", directory.path] {
            environment["PATH"] = path
            let error = refusal(environment)
            #expect(error?.description.contains("libsecret-tools") == true, "\(path)")
            #expect(error?.description.contains("set SHIFTLOG_TOKEN_STORE=file") == true)
        }
    }

    @Test func `a missing session bus is an error with the next step`() throws {
        var environment = fake.environment
        for address in [nil, ""] {
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            #expect(refusal(environment)?.description.contains("DBUS_SESSION_BUS_ADDRESS") == true)
        }
        environment["XDG_RUNTIME_DIR"] = directory.path
        #expect(refusal(environment) != nil)
        try Data().write(to: URL(fileURLWithPath: directory.path + "/bus"))
        #expect(refusal(environment) == nil)
    }

    @Test func `a store without a keyring starts no program`() {
        fake.set(.hang)
        var environment = fake.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        #expect(refusal(environment) != nil)
        #expect(fake.calls.isEmpty)
    }

    static let misbehaviours: [(mood: FakeSecretTool.Mood, says: String)] = [
        (.noService, "org.freedesktop.secrets was not provided"), (.crash, "Segmentation [1mfault"),
        (.killed, "ended with status 137"), (.silentFailure, "ended with status 3"), (.deaf, "ended with status 7"),
        (.flood, "far more than tokens"), (.locked, "locked"),
    ]

    @Test(arguments: misbehaviours.indices)
    func `every failure of the program is an error with a message, for every call`(index: Int) async throws {
        let (mood, says) = Self.misbehaviours[index]
        let store = try fake.store()
        try await store.write(.number(1))
        fake.set(mood)
        let errors = await failures(store)
        #expect(errors.count == 4)
        for error in errors {
            #expect(error.description.contains(says), "\(error)")
            #expect(error.description.hasSuffix("or set SHIFTLOG_TOKEN_STORE=file."), "\(error)")
            #expect(!error.description.contains("\u{1B}") && !error.description.contains("access-"))
        }
        fake.set(.well)
        #expect(try await store.read() == .number(1), "nothing was changed")
    }

    @Test(arguments: [FakeSecretTool.Mood.hang, .hangWithChild])
    func `a program that hangs is killed at the limit`(mood: FakeSecretTool.Mood) async throws {
        fake.set(mood)
        let store = try fake.store(limit: .milliseconds(200))
        let errors = await failures(store)
        #expect(errors.count == 4)
        for error in errors {
            #expect(error.description.contains("did not answer within 0.2 seconds"), "\(error)")
            #expect(error.description.contains("password prompt"))
        }
    }

    @Test func `a locked keyring is an error, not a logout`() async throws {
        let store = try fake.store()
        try await store.write(.number(1))
        fake.set(.locked)
        let error = await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error?.description.contains("locked") == true)
        await #expect(throws: TokenStoreError.self) { try await store.clear() }
        try FileManager.default.removeItem(atPath: fake.directory + "/items/strata.default")
        #expect(try await store.read() == nil)
    }

    @Test(arguments: ["", "{", #"{"format":1}"#, "CANARY", #"{"access_token":"CANARY","format":9}"#])
    func `a damaged item is named in the error and replaced by a login`(content: String) async throws {
        try fake.plant(content)
        let store = try fake.store()
        let error = await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error?.description.contains("damaged") == true)
        #expect(error?.description.contains("'shiftlog login' replaces it") == true)
        #expect(error?.description.contains("CANARY") == false)
        try await store.write(.number(2))
        #expect(try await store.read() == .number(2))
    }

    @Test func `an item that is not JSON is an error`() async throws {
        fake.set(.garbage)
        let store = try fake.store()
        await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
        await #expect(throws: TokenStoreError.self) { try await store.probe() }
    }

    @Test func `tokens that the program would truncate are refused`() async throws {
        let store = try fake.store()
        let large = SessionTokens(
            access: Secret(String(repeating: "a", count: 9000)), refresh: Secret("r"), expiresAt: SessionTokens.noon)
        let error = await #expect(throws: TokenStoreError.self) { try await store.write(large) }
        #expect(error?.description.contains("8191") == true)
        #expect(fake.items.isEmpty && fake.calls.isEmpty)
    }

    @Test func `the keyring uses the lock of the token file`() async throws {
        let store = try fake.store(lockLimit: .zero)
        let other = try fake.store(lockLimit: .zero)
        try await store.withLock { _ = await #expect(throws: TokenStoreError.self) { try await other.withLock {} } }
        // A program that another test starts at this moment holds the lock until it runs, so this waits.
        try await fake.store().withLock {}
    }

    @Test(
        .enabled(if: RealKeyring.isPossible, "needs secret-tool, gnome-keyring-daemon and dbus-run-session"),
        .timeLimit(.minutes(5)))
    func `the real keyring stores, locks and removes tokens like the fake`() async throws {
        let keyring = try #require(try RealKeyring())
        let store = try SecretServiceTokenStore(
            service: "strata", account: "a 'b' $c", lockPath: directory.path + "/lock", environment: keyring.environment
        )
        try await store.probe()
        #expect(try await store.read() == nil)
        try await store.clear()
        try await store.write(.number(1))
        try await store.write(.number(2))
        #expect(try await store.read() == .number(2))
        // A document of the largest size is stored unchanged.
        let frame = try StoredTokens(.number(1)).bytes().count
        var full = SessionTokens.number(1)
        full.access = Secret(full.access.reveal() + String(repeating: "x", count: SecretTool.sizeLimit - frame))
        try await store.write(full)
        #expect(try await store.read() == full)
        // A locked keyring asks for the password; here the prompt gets no answer.
        #expect(try keyring.lock())
        let locked = try SecretServiceTokenStore(
            service: "strata", account: "a 'b' $c", lockPath: directory.path + "/lock",
            environment: keyring.environment, limit: .milliseconds(500))
        let errors = await failures(locked)
        #expect(errors.count == 4)
        for error in errors {
            #expect(["locked", "did not answer"].contains { error.description.contains($0) }, "\(error)")
        }
    }

    // MARK: - Help

    private func refusal(_ environment: [String: String]) -> TokenStoreError? {
        do throws(TokenStoreError) {
            _ = try SecretServiceTokenStore(
                service: "strata", account: "default", lockPath: directory.path + "/lock", environment: environment,
                advice: "set SHIFTLOG_TOKEN_STORE=file")
            return nil
        } catch {
            return error
        }
    }

    /// The errors of a read, a write, a removal and a probe.
    private func failures(_ store: SecretServiceTokenStore) async -> [TokenStoreError] {
        var errors: [TokenStoreError] = []
        do throws(TokenStoreError) { _ = try await store.read() } catch { errors.append(error) }
        do throws(TokenStoreError) { try await store.write(.number(9)) } catch { errors.append(error) }
        do throws(TokenStoreError) { try await store.clear() } catch { errors.append(error) }
        do throws(TokenStoreError) { try await store.probe() } catch { errors.append(error) }
        return errors
    }
}
