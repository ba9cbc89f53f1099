import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct UploadRateTests {
    private let limits = ServiceLimits()

    /// Runs an upload with the given bytes in each span of grace.
    private func upload(_ spans: [Int], isWaiting: Bool = true) async throws -> String {
        let clock = ManualClock()
        let progress = BodyProgress()
        progress.isWaiting = isWaiting
        let gate = Gate()
        let limits = limits
        let reader = RequestBodyReader(limits: limits, timers: TimerQueue(clock))
        async let result = reader.requiringRate(of: progress) {
            try await gate.wait()
            return "received"
        }
        for bytes in spans {
            await clock.waitForSleeper(dueIn: limits.bodyGrace...limits.bodyGrace)
            progress.count += bytes
            clock.advance(by: limits.bodyGrace)
        }
        if spans.allSatisfy({ $0 >= 5120 }) || !isWaiting {
            await clock.waitForSleeper(dueIn: limits.bodyGrace...limits.bodyGrace)
            gate.open()
        }
        return try await result
    }

    @Test func `an upload at the minimum rate has no other limit than the transfer time`() async throws {
        #expect(try await upload(Array(repeating: 5120, count: 100)) == "received")
    }

    @Test(arguments: [[0], [5119], [1_000_000_000, 0], [1_000_000_000, 5120, 5119]])
    func `an upload below the rate in any span is 408`(_ spans: [Int]) async throws {
        let error = await #expect(throws: ServiceError.self) { try await upload(spans) }
        #expect(error?.problem.status == 408 && error?.problem.code == "body_too_slow")
    }

    @Test func `a slow disk of the service does not end an upload`() async throws {
        #expect(try await upload([0, 0, 0], isWaiting: false) == "received")
    }
}
