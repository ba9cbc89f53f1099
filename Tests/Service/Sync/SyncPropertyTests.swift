import Foundation
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// Concurrent writers, repeated batches and pagers in any order.
@Suite struct SyncPropertyTests {
    @Test(arguments: [UInt64](1...6))
    func `no row is missed and nothing takes effect twice`(seed: UInt64) async throws {
        try await withService { service, client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let finished = CallCounter()
                for writer in 0..<4 {
                    group.addTask {
                        try await write(writer, seed: seed, client)
                        finished.increment()
                    }
                }
                for reader in 0..<3 {
                    group.addTask { try await follow(limit: 1 + reader * 5, client) { finished.value == 4 } }
                }
                try await group.waitForAll()
            }
            var newcomer = SyncClientDouble(client)
            try await newcomer.pullAll(limit: 13)
            let server = try await service.store.read { reader in
                try reader.rows("SELECT * FROM note").map(NotePayload.init)
            }
            #expect(
                newcomer.rows.mapValues(\.version)
                    == Dictionary(server.map { ($0.id, $0.version) }) { first, _ in first })
            // Every effect took one version, so creates, updates and deletes add up to the counter.
            let effects = try await service.store.read { reader in
                try reader.rows("SELECT result FROM sync_mutation").filter { row in
                    try WireJSON.decode(MutationResult.self, from: Data(try row.text("result").utf8)).status == .applied
                }.count
            }
            let position = try await service.store.read { try SyncTables.position(in: $0) }
            // Where writers run side by side, versions have gaps.
            if StoreEngine.chosen.isSQLite { #expect(position.seq == effects) }
            let digest = try await service.store.read { try DigestTable.digest(of: ["notes"], upTo: .max, in: $0) }
            #expect(digest[0].count == server.count)
        }
    }

    /// Sends each batch up to three times, in part and whole, like a client that gets no response.
    private func write(_ writer: Int, seed: UInt64, _ client: Client) async throws {
        var random = SeededRandom(seed: seed &* 31 &+ UInt64(writer))
        let device = SyncClientDouble(client)
        var versions: [String: Int] = [:]
        for round in 0..<12 {
            let ids = (0..<3).map { "w\(writer)-\($0)" }
            let batch = ids.map { id in
                let name = "m-\(writer)-\(round)-\(id)"
                guard let base = versions[id] else { return Mutation.create(name, of: id, text: name) }
                return Int.random(in: 0..<4, using: &random) == 0
                    ? .delete(name, of: id, base: base) : .patch(name, of: id, base: base, text: name)
            }
            var results = try await device.push(batch.shuffled(using: &random).dropLast())
            for _ in 0..<Int.random(in: 1...2, using: &random) { results = try await device.push(batch) }
            for (mutation, result) in zip(batch, results) {
                #expect(result.status == .applied, "each writer has rows of its own")
                versions[mutation.entityId] = mutation.operation == .delete ? nil : result.version
            }
        }
    }

    /// Follows until every writer is through; never sees a version twice, nor an older one after a newer, and has all rows then.
    private func follow(limit: Int, _ client: Client, until isThrough: () -> Bool) async throws {
        var device = SyncClientDouble(client)
        while !isThrough() {
            try Task.checkCancellation()
            _ = try await device.pull(limit: limit)
        }
        // The first ends a round that may have begun before the last write.
        for _ in 1...2 { try await device.pullAll(limit: limit) }
        #expect(device.seen == device.seen.sorted() && Set(device.seen).count == device.seen.count)
        var newcomer = SyncClientDouble(client)
        try await newcomer.pullAll()
        #expect(device.rows == newcomer.rows)
    }

    @Test func `ten thousand rows are paged while they are touched, and none is missed`() async throws {
        try await withService { service, client in
            let ids = (0..<10_000).map { "n\($0)" }
            for start in stride(from: 0, to: ids.count, by: 1000) {
                try await service.fill(Array(ids[start..<start + 1000]))
            }
            var device = SyncClientDouble(client)
            var random = SeededRandom(seed: 5)
            var step = 0
            var hasMore = true
            while hasMore, step < 42 {
                hasMore = try await device.pull(limit: 250).hasMore
                step += 1
                for _ in 0..<5 {
                    let id = ids.randomElement(using: &random) ?? ""
                    try await service.edit(id, to: "step \(step) \(Int.random(in: 0..<1_000_000_000, using: &random))")
                }
            }
            #expect(!hasMore, "touching rows does not make a round longer")
            try await device.pullAll(limit: 250)
            let server = try await service.store.read { reader in
                try reader.rows("SELECT id, version FROM note").map { (try $0.text("id"), try $0.int("version")) }
            }
            #expect(device.rows.mapValues(\.version) == Dictionary(server) { first, _ in first })
            #expect(device.rows.count == 10_000)
        }
    }
}
