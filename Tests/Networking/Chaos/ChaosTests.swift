import Foundation
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Ten thousand with `STRATA_CHAOS_CALLS=10000`.
@Suite(.serialized) struct ChaosTests {
    private static let calls = ProcessInfo.processInfo.environment["STRATA_CHAOS_CALLS"].flatMap(Int.init) ?? 2000

    @Test func `an outbox that keeps its keys loses nothing and repeats nothing`() async throws {
        let report = try await Chaos(seed: 1, keys: .outbox).run(Self.calls)
        print(report)
        #expect(report.duplicates == 0)
        #expect(report.lost == 0)
        #expect(report.failed.isEmpty)
        #expect(report.mixedUp == 0)
        #expect(report.server.replayed > 100, "or no key was ever needed")
        for count in [report.retries, report.hedges, report.replaysAfterRefresh, report.server.dropped] {
            #expect(count > 100, "the chaos was not real")
        }
    }

    @Test func `with automatic keys no write takes effect twice, and each reported success is committed`() async throws
    {
        let report = try await Chaos(seed: 2, keys: .client).run(Self.calls / 4)
        print(report)
        #expect(report.duplicates == 0)
        #expect(report.mixedUp == 0)
        #expect((0..<report.calls).allSatisfy { report.commits[$0] != nil || report.failed.contains($0) })
        #expect(report.server.replayed > 0)
    }

    @Test func `without keys only unsent requests are retried`() async throws {
        let report = try await Chaos(seed: 3, keys: .none).run(Self.calls / 4)
        print(report)
        #expect(report.duplicates == 0)
        #expect(report.mixedUp == 0)
        #expect(report.hedges == 0)
        #expect(report.server.replayed == 0)
        #expect(report.retries > 0)
        #expect(report.retries <= report.unsent, "each retry follows a request that nobody heard")
        #expect((0..<report.calls).allSatisfy { report.commits[$0] != nil || report.failed.contains($0) })
        #expect(report.failed.count > report.calls / 20, "the failures are told, not hidden")
    }

    @Test func `a client that repeats without keys would be caught`() async throws {
        let report = try await Chaos(seed: 4, keys: .forgotten).run(Self.calls / 10)
        #expect(report.duplicates > 0, "the server counts what takes effect twice")
    }
}
