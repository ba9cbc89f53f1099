import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct HealthRoutesTests {
    @Test func `readiness has the notices of the database, and a drain has a code of its own`() async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            try await service.application().prepare()
            let signal = CommitSignal()
            let probe = ReadinessProbe(
                store: service.store, timers: TimerQueue(ManualClock()), wallClock: service.wallClock)
            let health = HealthRoutes(probe: probe, signal: signal)
            #expect(try await health.readiness().status == "ready")
            #expect(try await health.readiness().details == nil)
            let waiting = HealthRoutes(probe: probe, signal: signal, notices: { ["It waits."] })
            var text = JSONText()
            try await waiting.readiness().write(to: &text)
            #expect(String(decoding: text.bytes, as: UTF8.self) == #"{"status":"ready","details":["It waits."]}"#)
            signal.close()
            let error = await #expect(throws: ServiceError.self) { try await health.readiness() }
            #expect(error?.problem.status == 503 && error?.problem.code == "draining")
            try await service.close()
        }
    }
}
