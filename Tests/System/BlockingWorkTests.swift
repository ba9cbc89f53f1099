import Foundation
import StrataSystem
import Testing

@Suite("Blocking work") struct BlockingWorkTests {
    @Test func `blocking work delays neither tasks nor other blocking work`() async throws {
        let ends = DispatchSemaphore(value: 0)
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { await runBlocking { ends.wait() } } }
            // This task runs on the cooperative pool while more threads are blocked than the pool has.
            group.addTask { await runBlocking { for _ in 0..<count { ends.signal() } } }
        }
    }

    @Test func `an error of the work keeps its type`() async {
        do throws(Errno) {
            try await runBlocking { () throws(Errno) in throw .noSpace }
        } catch {
            #expect(error == .noSpace && error.isDiskFull)
        }
    }

    @Test func `an actor on the executor runs outside of the cooperative pool, one job at a time`() async {
        actor Tally {
            private let executor = BlockingExecutor()
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
            private(set) var count = 0
            func add() { count += 1 }
        }
        let tally = Tally()
        await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { await tally.add() } }
        }
        #expect(await tally.count == 1000)
    }

    @Test func `an interrupted call is repeated, and any other failure throws its error number`() throws {
        var calls = 0
        let result = try systemCall { () -> CInt in
            calls += 1
            if calls == 3 { return 7 }
            errno = EINTR
            return -1
        }
        #expect(result == 7 && calls == 3)
        #expect(throws: Errno.badFileDescriptor) { try systemCall { close(-1) } }
    }
}
