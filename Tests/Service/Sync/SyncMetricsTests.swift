import Foundation
import HTTPTypes
import StrataDomain
import StrataService
import StrataTesting
import Testing

@Suite struct SyncMetricsTests {
    private func lines(_ service: TestService) -> Set<String> {
        Set(service.metrics.text().split(separator: "\n").map(String.init))
    }

    @Test func `mutations are counted by result, and a repeated one once more as repeated`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            var invalid = Mutation.create("m0", of: "a", text: "invalid")
            invalid.fields["unknown"] = .integer(1)
            let batch = [
                Mutation.create("m1", of: "b", text: "first"), .create("m2", of: "c", text: "second"),
                .patch("m3", of: "b", base: 99, text: "conflict"), invalid,
                .patch("m4", of: "b", base: 1, text: "deferred after the conflict"),
            ]
            _ = try await device.push(batch)
            func count(_ result: String) -> String { "tides_sync_mutations_total{result=\"\(result)\"}" }
            #expect(
                lines(service).isSuperset(of: [
                    "\(count("applied")) 2", "\(count("conflict")) 1", "\(count("rejected")) 1",
                    "\(count("deferred")) 1", "\(count("repeated")) 0",
                ]))
            _ = try await device.push(batch)
            #expect(
                lines(service).isSuperset(of: [
                    "\(count("applied")) 2", "\(count("conflict")) 1", "\(count("rejected")) 2",
                    "\(count("deferred")) 2", "\(count("repeated")) 3",
                ]))
        }
    }

    @Test func `a batch that is rolled back is not counted`() async throws {
        try await withService { service, client in
            let batch = MutationBatch(
                clientId: "c1", mutations: [.create("m1", of: "a", text: "a")], cursor: "no cursor")
            let reply = try await client.send(.post, "/v1/sync/mutations", body: try WireJSON.encode(batch))
            #expect(reply.status == 400)
            #expect(lines(service).contains(#"tides_sync_mutations_total{result="applied"} 0"#))
        }
    }

    @Test func `changes and snapshots are counted as they are sent`() async throws {
        try await withService { service, client in
            var device = SyncClientDouble(client)
            _ = try await device.push((0..<5).map { .create("m\($0)", of: "n\($0)", text: "text \($0)") })
            #expect(lines(service).isSuperset(of: ["tides_sync_changes_total 0", "tides_sync_snapshots_total 0"]))
            try await device.pullAll(limit: 2)
            _ = try await client.send(.get, "/v1/sync/snapshot")
            #expect(lines(service).isSuperset(of: ["tides_sync_changes_total 5", "tides_sync_snapshots_total 1"]))
        }
    }

    @Test func `a long poll is counted while it waits`() async throws {
        let clock = ManualClock()
        try await withService(configure: { $0.clock = clock }) { service, client in
            var device = SyncClientDouble(client)
            try await device.pullAll()
            let cursor = try #require(device.cursor)
            async let waiting = client.send(.get, "/v1/sync/changes?wait=3&cursor=\(cursor)")
            await clock.waitForSleeper(dueIn: .seconds(2))
            #expect(lines(service).contains("tides_sync_long_polls 1"))
            clock.advance(by: .seconds(3))
            #expect(try await waiting.status == 200)
            #expect(lines(service).contains("tides_sync_long_polls 0"))
        }
    }
}
