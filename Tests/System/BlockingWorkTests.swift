import Foundation
import StrataSystem
import Testing

@Suite("Blocking work") struct BlockingWorkTests {
    @Test func `blocking work delays neither tasks nor other blocking work`() async throws {
        let ends = DispatchSemaphore(value: 0)
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask { await runBlocking { ends.wait(timeout: .now() + 60) == .success } }
            }
            // This task runs on the cooperative pool while more threads are blocked than the pool has.
            group.addTask {
                await runBlocking { for _ in 0..<count { ends.signal() } }
                return true
            }
            for await hasEnded in group { #expect(hasEnded) }
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
        actor Blocking {
            private let executor = BlockingExecutor()
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
            private var jobs = 0
            private(set) var most = 0
            private(set) var hasStopped = true

            func wait(for end: DispatchSemaphore) {
                jobs += 1
                most = max(most, jobs)
                hasStopped = end.wait(timeout: .now() + 60) == .timedOut
                jobs -= 1
            }
        }
        let ends = DispatchSemaphore(value: 0)
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let actors = (0..<count).map { _ in Blocking() }
        await withTaskGroup { group in
            // More threads are blocked than the pool has.
            for actor in actors { for _ in 0..<2 { group.addTask { await actor.wait(for: ends) } } }
            group.addTask { for _ in 0..<2 * count { ends.signal() } }
        }
        for actor in actors {
            #expect(await actor.most == 1)
            #expect(await !actor.hasStopped)
        }
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
