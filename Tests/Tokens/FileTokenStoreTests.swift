import Foundation
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataTokens

struct FileTokenStoreTests {
    let directory: TemporaryDirectory
    let store: FileTokenStore
    var account: String { directory.path + "/default" }
    var path: String { account + "/tokens.json" }

    init() throws {
        directory = try TemporaryDirectory()
        store = try FileTokenStore(directory: directory.path, recovery: "'shiftlog login' replaces it")
    }

    @Test func `the description of the place names the file`() {
        #expect(store.place == "file \(path)")
    }

    @Test func `only the owner may read the files, with any umask`() async throws {
        let old = umask(0)
        defer { umask(old) }
        try await store.withLock { try await store.write(.number(1)) }
        #expect(try mode(account) == 0o700)
        #expect(try mode(path) == 0o600)
        #expect(try mode(path + ".lock") == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: account).sorted() == [
                "tokens.json", "tokens.json.lock",
            ])
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660])
    func `a file that others may read is refused with the next step`(loose: Int) async throws {
        try await store.write(.number(1))
        try FileManager.default.setAttributes([.posixPermissions: loose], ofItemAtPath: path)
        let error = try await #require(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error.description.contains("chmod 600 \(path)"))
        #expect(error.description.contains("0" + String(loose, radix: 8)))
        try await store.write(.number(2))
        #expect(try mode(path) == 0o600)
        #expect(try await store.read() == .number(2))
    }

    @Test func `no call follows a symbolic link`() async throws {
        let target = directory.path + "/elsewhere"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        try makeAccount()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        for error in await failures() { #expect(error.description.contains("symbolic link")) }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }

    @Test func `a dangling link is refused`() async throws {
        try makeAccount()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path + "/nowhere")
        #expect(await failures().count == 3)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/nowhere"))
    }

    @Test func `a directory or a pipe at the path of the file is refused without waiting`() async throws {
        try makeAccount()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for error in await failures() { #expect(error.description.contains("not a regular file")) }
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(await failures().count == 3)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file or directory of another user is refused`() async throws {
        try await store.write(.number(1))
        #expect(chown(path, 65_534, 65_534) == 0)
        for error in await failures() { #expect(error.description.contains("user id 65534")) }
        #expect(chown(path, 0, 0) == 0 && chown(account, 65_534, 65_534) == 0)
        await #expect(throws: TokenStoreError.self) { try await store.write(.number(2)) }
    }

    @Test(arguments: [
        "", "{", "null", "[]", "{}", #"{"format":1}"#,
        #"{"access_token":"CANARY","expires_at":"2026-11-21T09:00:00Z","format":1,"refresh_token":7}"#,
        #"{"access_token":"CANARY","expires_at":"yesterday","format":1,"refresh_token":"CANARY"}"#,
        #"{"access_token":"","expires_at":"2026-11-21T09:00:00Z","format":1,"refresh_token":"CANARY"}"#,
        #"{"access_token":"CANARY","expires_at":"2026-11-21T09:00:00Z","format":2,"refresh_token":"CANARY"}"#,
        "\u{0}\u{0}\u{0}\u{0}",
    ])
    func `a damaged file is named in the error, kept, and replaced by a login`(content: String) async throws {
        try makeAccount()
        try plant(Data(content.utf8))
        let error = try await #require(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error.description.contains(path))
        #expect(error.description.contains("'shiftlog login' replaces it"))
        #expect(!error.description.contains("CANARY"))
        #expect(FileManager.default.contents(atPath: path) == Data(content.utf8))
        try await store.write(.number(3))
        #expect(try await store.read() == .number(3))
    }

    @Test func `every truncation and every flipped bit gives an error or the old tokens`() async throws {
        try await store.write(.number(1))
        let whole = try #require(FileManager.default.contents(atPath: path))
        for length in whole.indices {
            try plant(whole.prefix(length))
            await #expect(throws: TokenStoreError.self) { _ = try await store.read() }
        }
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 0x80
            try plant(bytes)
            _ = try? await store.read()
        }
    }

    @Test func `a huge file is refused`() async throws {
        try makeAccount()
        try plant(Data(repeating: 0x20, count: 3 << 20))
        let error = try await #require(throws: TokenStoreError.self) { _ = try await store.read() }
        #expect(error.description.contains("larger"))
    }

    @Test func `the error names a directory that cannot be created`() async throws {
        try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
        let below = try FileTokenStore(directory: directory.path + "/file")
        let error = try await #require(throws: TokenStoreError.self) { try await below.write(.number(1)) }
        #expect(error.description.contains(directory.path + "/file/default"))
        await #expect(throws: TokenStoreError.self) { try await below.withLock {} }
        #expect(throws: Never.self) { try FileTokenStore(directory: "/sys/strata") }
        await #expect(throws: TokenStoreError.self) {
            try await FileTokenStore(directory: "/sys/strata").write(.number(1))
        }
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount"))
    func `a full disk keeps the old tokens and is an error`() async throws {
        let disk = try SmallFileSystem(kilobytes: 64)
        let store = try FileTokenStore(directory: disk.path)
        try await store.write(.number(1))
        try disk.fill()
        let large = SessionTokens(
            access: Secret(String(repeating: "a", count: 40_000)), refresh: Secret("r"), expiresAt: SessionTokens.noon)
        let error = try await #require(throws: TokenStoreError.self) { try await store.write(large) }
        #expect(error.description.contains("No space left on device"))
        #expect(error.description.contains("Free some space"))
        #expect(try await store.read() == .number(1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/default") == ["tokens.json"])
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount"))
    func `a write after a reservation succeeds on a full disk`() async throws {
        let disk = try SmallFileSystem(kilobytes: 64)
        let store = try FileTokenStore(directory: disk.path)
        try await store.write(.number(1))
        try await store.reserve()
        try disk.fill()
        try await store.write(.number(2))
        #expect(try await store.read() == .number(2))
        try disk.fill()
        let error = try await #require(throws: TokenStoreError.self) { try await store.reserve() }
        #expect(error.description.contains("No space left on device") && error.description.contains("Nothing was sent"))
        #expect(try await store.read() == .number(2))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/default") == ["tokens.json"])
    }

    @Test func `a reservation that others could have opened is not used`() async throws {
        try await store.write(.number(1))
        let reserved = account + "/.tokens.json.tmp"
        try await store.reserve()
        #expect(try mode(reserved) == 0o600)
        #expect(link(reserved, directory.path + "/other-name") == 0)
        try await store.write(.number(2))
        #expect(try await store.read() == .number(2))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/other-name"))
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [0, 1, 2])
    func `the next write, reservation or logout removes the files of dead writers`(call: Int) async throws {
        try await store.write(.number(1))
        let leftovers = [".tokens.json.dead.tmp", ".tokens.json.tmp"].map { account + "/" + $0 }
        for file in leftovers { try Data("refresh-0".utf8).write(to: URL(fileURLWithPath: file)) }
        switch call {
        case 0: try await store.write(.number(2))
        case 1: try await store.reserve()
        default: try await store.clear()
        }
        for file in leftovers { #expect(FileManager.default.contents(atPath: file) != Data("refresh-0".utf8)) }
        #expect(!FileManager.default.fileExists(atPath: leftovers[0]))
    }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "../x", "a\u{0}b", "a b", String(repeating: "x", count: 300)])
    func `an account name cannot name a path outside the directory`(name: String) {
        #expect(throws: TokenStoreError.self) { try FileTokenStore(directory: directory.path, account: name) }
    }

    @Test func `each account has its own file`() async throws {
        let other = try FileTokenStore(directory: directory.path, account: "other")
        try await store.write(.number(1))
        #expect(try await other.read() == nil)
        try await other.write(.number(2))
        try await store.clear()
        #expect(try await other.read() == .number(2))
    }

    @Test func `concurrent readers never see a part of a file`() async throws {
        try await store.write(.number(0))
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                let store = try FileTokenStore(directory: directory.path)
                group.addTask {
                    for round in 0..<25 {
                        try await store.withLock { try await store.write(.number(writer * 100 + round)) }
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        let tokens = try await store.read()
                        #expect(tokens != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: - Help

    private func makeAccount() throws {
        try FileManager.default.createDirectory(
            atPath: account, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func plant(_ bytes: Data) throws {
        try? FileManager.default.removeItem(atPath: path)
        #expect(FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]))
    }

    /// The errors of a read, a write and a removal.
    private func failures() async -> [TokenStoreError] {
        var errors: [TokenStoreError] = []
        do throws(TokenStoreError) { _ = try await store.read() } catch { errors.append(error) }
        do throws(TokenStoreError) { try await store.write(.number(9)) } catch { errors.append(error) }
        do throws(TokenStoreError) { try await store.clear() } catch { errors.append(error) }
        return errors
    }

    private func mode(_ path: String) throws -> UInt32 { try Stat(path: path, following: false).permissionBits }
}
