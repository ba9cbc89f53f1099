import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct ChangeTimeTests {
    /// The time that the newest write has, in seconds after the first write, once the clock was set back by `step` seconds.
    private func time(ofWriteAfter step: Int) async throws -> TimeInterval {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            try await service.application().prepare()
            let first = service.wallClock.now
            try await stamp(service)
            service.wallClock.advance(by: .seconds(-step))
            let last = try await stamp(service)
            try await service.close()
            return last.timeIntervalSince(first)
        }
    }

    @discardableResult
    private func stamp(_ service: TestService) async throws -> Date {
        let now = service.wallClock.now
        return try await service.store.write { transaction in
            try ChangeLog.stamp(.put, collection: "notes", id: "n", at: now, in: transaction).at
        }
    }

    @Test(arguments: [0, 1, 3600, 86_400, 7 * 86_400])
    func `a write after a small step back has a later time than the one before it`(step: Int) async throws {
        #expect(abs(try await time(ofWriteAfter: step) - 0.001) < 0.0001)
    }

    @Test(arguments: [7 * 86_400 + 1, 100 * 365 * 86_400])
    func `a write after a large step back has the time of the clock, which was wrong before`(step: Int) async throws {
        #expect(try await time(ofWriteAfter: step) == TimeInterval(-step))
    }
}
