import StrataDomain
import StrataPresentation
import StrataTesting
import Testing

@MainActor struct TransferModelTests {
    private let model = TransferModel()

    @Test func `a transfer has its count, its share and its end`() async throws {
        let (progress, gate) = (TransferProgress(), Gate())
        #expect(model.state == .waiting && model.fraction == nil)
        let transfer = Task {
            try await model.run(progress) {
                progress.report(TransferCount(bytes: 25, total: 100))
                try await gate.wait()
                progress.report(TransferCount(bytes: 100, total: 100))
                return "done"
            }
        }
        try await eventually("a quarter is there") { model.fraction == 0.25 }
        #expect(model.state == .running)
        gate.open()
        #expect(try await transfer.value == "done")
        #expect(model.state == .finished && model.fraction == 1)
    }

    @Test func `an error is told and thrown, a cancellation is none`() async {
        await #expect(throws: DomainError.unavailable("refused")) {
            try await model.run(TransferProgress()) { throw DomainError.unavailable("refused") }
        }
        #expect(model.state == .failed(.unavailable("refused")))
        let gate = Gate()
        let transfer = Task { try await model.run(TransferProgress()) { try await gate.wait() } }
        try? await eventually("it runs") { model.state == .running }
        transfer.cancel()
        _ = await transfer.result
        #expect(model.state == .cancelled)
    }
}
