import Foundation
import StrataTesting
import Testing

/// `Scripts/chaos homes` runs ten homes for ten minutes; here it is a few for some seconds.
@Suite(.serialized) struct `Many homes at once` {
    private static func variable(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    @Test func `many homes agree with the server after partitions, stops and kills, and no queue is stuck`()
        async throws
    {
        let isLong = ProcessInfo.processInfo.environment["STRATA_HOMES"] != nil
        let seed = SeededRandom.seedOfRun("many homes")
        let settings = Homes.Settings(
            seed: seed, homes: Self.variable("STRATA_HOMES", 3), seconds: Self.variable("STRATA_HOMES_SECONDS", 15),
            rate: Self.variable("STRATA_HOMES_RATE", 12), replicas: Self.variable("STRATA_HOMES_REPLICAS", 0),
            tellsProgress: isLong)
        let report = try await Homes(settings).run()
        if isLong {
            print(report.text)
            for line in report.ended.prefix(10) { print("homes: ended: \(line)") }
        }
        #expect(report.problems == [], "STRATA_SEED=\(seed)")
        #expect(report.drained != nil, "STRATA_SEED=\(seed)")
        #expect(report.ended == [], "STRATA_SEED=\(seed)")
        #expect(report.writes > 0)
        // Shorter runs may meet none.
        if settings.replicas > 0, settings.seconds >= 300 { #expect(report.standstills ?? 0 > 0) }
    }
}
