import Foundation
import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct DigestTests {
    private func digest(_ client: Client) async throws -> SyncDigest {
        try await client.send(.get, "/v1/sync/digest").decoded(SyncDigest.self)
    }

    /// The digest of the rows of a client.
    private func digest(_ rows: some Sequence<SyncChange>) -> CollectionDigest {
        var buckets = Array(repeating: RowDigest(), count: RowDigest.buckets)
        for row in rows {
            let hash = RowHash(id: row.id, version: row.version)
            buckets[hash.bucket].insert(hash)
        }
        return CollectionDigest(
            collection: "notes",
            buckets: buckets.enumerated().filter { $1.count > 0 }.map { BucketDigest(bucket: $0, rows: $1) })
    }

    @Test func `equals the digest of a client after any history`() async throws {
        try await withService { service, client in
            var random = SeededRandom(seed: 11)
            var live: [String] = []
            var gone: [String] = []
            for step in 0..<300 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where !live.isEmpty:
                    gone.append(live.remove(at: live.indices.randomElement(using: &random) ?? 0))
                    try await service.remove(gone[gone.count - 1])
                case 2 where !gone.isEmpty:
                    // Created again in the place of its tombstone.
                    live.append(gone.removeLast())
                    try await service.fill([live[live.count - 1]])
                case 1 where !live.isEmpty:
                    try await service.edit(live.randomElement(using: &random) ?? "", to: "edit \(step)")
                default:
                    try await service.fill(["n\(step)"])
                    live.append("n\(step)")
                }
            }
            var puller = SyncClientDouble(client)
            try await puller.pullAll()
            let shown = try await digest(client)
            #expect(try await shown.upTo == service.lastPlace)
            #expect(shown.collections == [digest(puller.rows.values)])
            #expect(shown.collections[0].count == live.count)
        }
    }

    @Test func `differs only in the bucket of a changed row`() async throws {
        try await withService { service, client in
            try await service.fill((0..<100).map { "n\($0)" })
            let before = try await digest(client).collections[0]
            try await service.edit("n42", to: "edited")
            let after = try await digest(client).collections[0]
            let different = zip(before.buckets, after.buckets).filter { $0 != $1 }.map(\.1.bucket)
            #expect(different == [RowHash(id: "n42", version: 0).bucket])
        }
    }

    @Test func `counts nothing of a refused mutation`() async throws {
        try await withService { service, client in
            let device = SyncClientDouble(client)
            let made = try await device.push(.create("m1", of: "a", text: "one"))
            let before = try await digest(client)
            let results = try await device.push(.patch("m2", of: "a", base: made[0].version, text: "forbidden"))
            #expect(results[0].status == .rejected)
            #expect(try await digest(client) == before)
        }
    }

    @Test func `unchanged is 304`() async throws {
        try await withService { service, client in
            try await service.fill(["a"])
            let first = try await client.send(.get, "/v1/sync/digest")
            let tag = try #require(first.headers[.eTag])
            #expect(try await client.send(.get, "/v1/sync/digest", headers: [.ifNoneMatch: tag]).status == 304)
            try await service.edit("a", to: "b")
            #expect(try await client.send(.get, "/v1/sync/digest", headers: [.ifNoneMatch: tag]).status == 200)
        }
    }

    @Test func `rows from before there were digests are counted at the start`() async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            try await service.application().prepare()
            try await service.fill((0..<2500).map { "n\($0)" })
            try await service.remove("n1")
            let counted = try await service.store.read { try DigestTable.digest(of: ["notes"], upTo: .max, in: $0) }
            try await service.store.write { transaction in
                try transaction.execute("DELETE FROM sync_digest")
                try transaction.execute("DELETE FROM sync_digest_change")
                try transaction.execute("UPDATE sync_change SET bucket = -1")
            }
            // One that is written before it was counted.
            try await service.edit("n2", to: "edited")
            try await service.application().prepare()
            let again = try await service.store.read { try DigestTable.digest(of: ["notes"], upTo: .max, in: $0) }
            #expect(again[0].count == counted[0].count)
            let versions = try await service.store.read { reader in
                try reader.rows("SELECT entity_id, version FROM sync_change WHERE deleted = 0").map { row in
                    RowHash(id: try row.text("entity_id"), version: try row.int("version"))
                }
            }
            #expect(again[0].hash == versions.reduce(0) { $0 &+ $1.value }.hex)
            try await service.close()
        }
    }
}
