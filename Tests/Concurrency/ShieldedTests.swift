import StrataConcurrency
import Testing

struct ShieldedTests {
    struct Refusal: Error, Equatable {}

    @Test func `its body is not cancelled with the task`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (Task.isCancelled, await shielded { Task.isCancelled })
        }
        let (isCancelled, isCancelledInside) = await task.value
        #expect(isCancelled && !isCancelledInside)
    }

    @Test func `its error has its type`() async {
        do throws(Refusal) {
            try await shielded { () async throws(Refusal) in throw Refusal() }
            Issue.record("it did not throw")
        } catch { #expect(error == Refusal()) }
    }
}
