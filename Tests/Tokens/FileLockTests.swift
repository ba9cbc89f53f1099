import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

struct FileLockTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test func `a wait that takes too long names the lock`() async throws {
        let clock = ManualClock()
        let holder = try FileTokenStore(directory: directory.path)
        let store = try FileTokenStore(directory: directory.path, lockLimit: .milliseconds(200), clock: clock)
        let entered = Gate()
        let leave = Gate()
        let holding = Task {
            try await holder.withLock {
                entered.open()
                try await leave.wait()
            }
        }
        try await entered.wait()
        let done = Counter()
        let waiting = Task {
            defer { done.increment() }
            try await store.withLock {}
        }
        await eventually("the wait ends") {
            clock.advance(by: .milliseconds(50))
            return done.value == 1
        }
        let error = await #expect(throws: TokenStoreError.self) { try await waiting.value }
        #expect(error?.description.contains(directory.path + "/default/tokens.json.lock") == true)
        leave.open()
        try await holding.value
        try await store.withLock {}
    }

    @Test func `a cancelled wait ends and leaves the lock alone`() async throws {
        let clock = ManualClock()
        let holder = try FileTokenStore(directory: directory.path)
        let store = try FileTokenStore(directory: directory.path, clock: clock)
        let leave = Gate()
        let entered = Gate()
        let holding = Task {
            try await holder.withLock {
                entered.open()
                try await leave.wait()
            }
        }
        try await entered.wait()
        let waiting = Task { try await store.withLock { Issue.record("inside") } }
        await clock.waitForSleeper()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        leave.open()
        try await holding.value
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func `the lock of a killed process is free`() async throws {
        let store = try FileTokenStore(directory: directory.path, lockLimit: .zero)
        try await store.withLock {}
        let other = Process()
        let output = Pipe()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = [
            "--no-fork", directory.path + "/default/tokens.json.lock", "/bin/sh", "-c", "echo held; read never",
        ]
        other.standardInput = Pipe()
        other.standardOutput = output
        try other.run()
        #expect(output.fileHandleForReading.readData(ofLength: 5) == Data("held\n".utf8))
        await #expect(throws: TokenStoreError.self) { try await store.withLock {} }
        kill(other.processIdentifier, SIGKILL)
        other.waitUntilExit()
        try await store.withLock {}
    }

    @Test func `a lock file that was replaced does not let two in`() async throws {
        let first = try FileTokenStore(directory: directory.path)
        let second = try FileTokenStore(directory: directory.path, lockLimit: .zero)
        let path = directory.path + "/default/tokens.json.lock"
        try await first.withLock {
            _ = await #expect(throws: TokenStoreError.self) { try await second.withLock {} }
        }
        // Somebody removes the file between two acquisitions: a new one serves as well.
        try FileManager.default.removeItem(atPath: path)
        try await first.withLock {
            _ = await #expect(throws: TokenStoreError.self) { try await second.withLock {} }
        }
    }

    @Test func `a linked lock file is refused`() async throws {
        let store = try FileTokenStore(directory: directory.path)
        try await store.write(.number(1))
        let target = directory.path + "/target"
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/default/tokens.json.lock", withDestinationPath: target)
        await #expect(throws: TokenStoreError.self) { try await store.withLock {} }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `tasks that change one file under the lock lose nothing`() async throws {
        let path = directory.path + "/count"
        try "0".write(toFile: path, atomically: true, encoding: .utf8)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                let store = try FileTokenStore(directory: directory.path)
                group.addTask {
                    for _ in 0..<10 {
                        try await store.withLock {
                            let count = Int(try String(contentsOfFile: path, encoding: .utf8)) ?? -1
                            await Task.yield()
                            try String(count + 1).write(toFile: path, atomically: true, encoding: .utf8)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "80")
    }
}
