import Foundation
import StrataSystem
import StrataTesting
import Testing

@Suite("File lock") struct FileLockTests {
    let directory: TemporaryDirectory
    var path: String { directory.file("lock") }

    init() throws { directory = try TemporaryDirectory() }

    @Test func `an exclusive lock excludes every other holder until it ends`() throws {
        let first = try #require(try FileLock.attempt(path))
        #expect(try FileLock.attempt(path) == nil)
        #expect(try FileLock.attempt(path, .shared) == nil)

        first.unlock()

        #expect(try FileLock.attempt(path) != nil)
    }

    @Test func `a lock ends when its value is released`() throws {
        do {
            let lock = try FileLock.attempt(path)
            #expect(lock != nil)
        }
        #expect(try FileLock.attempt(path) != nil)
    }

    @Test func `shared locks exclude an exclusive one only`() throws {
        let first = try #require(try FileLock.attempt(path, .shared))
        let second = try #require(try FileLock.attempt(path, .shared))
        #expect(try FileLock.attempt(path) == nil)

        first.unlock()
        second.unlock()

        #expect(try FileLock.attempt(path) != nil)
    }

    @Test func `only the owner may read the lock file, and it is not removed`() throws {
        let lock = try FileLock.attempt(path)
        lock?.unlock()
        #expect(try Stat(path: path, following: false).permissionBits == 0o600)
    }

    @Test func `one new holder gets the lock after the lock file was removed`() throws {
        let old = try #require(try FileLock.attempt(path))
        #expect(unlink(path) == 0)
        let new = try #require(try FileLock.attempt(path))
        old.unlock()
        #expect(try FileLock.attempt(path) == nil)
        new.unlock()
    }

    @Test func `a symbolic link in place of the lock file is refused`() throws {
        #expect(symlink(directory.file("target"), path) == 0)
        #expect(throws: Errno.tooManySymbolicLinkLevels) { try FileLock.attempt(path) }
        #expect(directory.names == ["lock"])
    }

    @Test func `a missing directory is an error without a wait`() {
        #expect(throws: Errno.noSuchFileOrDirectory) { try FileLock.attempt(directory.file("none/lock")) }
    }

    @Test func `a wait ends when the holder unlocks`() async throws {
        let clock = ManualClock()
        let holder = try #require(try FileLock.attempt(path))
        let path = path
        let waiting = Task { try await FileLock.acquire(path, within: .seconds(30), on: clock) != nil }
        await clock.waitForSleeper()

        holder.unlock()
        clock.advance(by: .milliseconds(25))

        #expect(try await waiting.value)
    }

    @Test func `a wait that reaches its limit returns nil`() async throws {
        let clock = ManualClock()
        let holder = try #require(try FileLock.attempt(path))
        let path = path
        let waiting = Task { try await FileLock.acquire(path, within: .milliseconds(3), on: clock) == nil }
        for pause in [1, 2] {
            await clock.waitForSleeper(dueIn: .milliseconds(pause))
            clock.advance(by: .milliseconds(pause))
        }
        #expect(try await waiting.value)
        #expect(try FileLock.acquireBlocking(path, within: .milliseconds(3)) == nil)
        holder.unlock()
        #expect(try FileLock.acquireBlocking(path, within: .zero) != nil)
    }

    @Test func `a cancelled wait ends, and the holder keeps the lock`() async throws {
        let clock = ManualClock()
        let holder = try #require(try FileLock.attempt(path))
        let path = path
        let waiting = Task { try await FileLock.acquire(path, within: .seconds(30), on: clock) }
        await clock.waitForSleeper()

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try FileLock.attempt(path) == nil)
        holder.unlock()
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func `the lock of another process excludes this one, and is free after that process is killed`() async throws {
        let path = path
        let held = directory.file("held")
        let script = "echo > '\(held)'; exec sleep 600"
        let other = Task {
            try await Program(path: "/usr/bin/flock", environment: ["PATH": "/usr/bin:/bin"]).run(
                [path, "/bin/sh", "-c", script], within: .seconds(60))
        }
        try await eventually(access(held, F_OK) == 0)
        #expect(try FileLock.attempt(path) == nil)

        other.cancel()

        await #expect(throws: Program.Failure.cancelled) { try await other.value }
        // The kernel closes the files of the killed group with a delay.
        #expect(try await FileLock.acquire(path, within: .seconds(20)) != nil)
    }

    @Test func `concurrent changes of one file under the lock are all kept`() async throws {
        let (path, count) = (path, directory.file("count"))
        try "0".write(toFile: count, atomically: true, encoding: .utf8)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        let lock = try #require(try await FileLock.acquire(path, within: .seconds(60)))
                        let number = Int(try String(contentsOfFile: count, encoding: .utf8)) ?? -1
                        await Task.yield()
                        try String(number + 1).write(toFile: count, atomically: true, encoding: .utf8)
                        lock.unlock()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try String(contentsOfFile: count, encoding: .utf8) == "80")
    }
}
