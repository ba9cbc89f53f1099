import Foundation
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// A reader of snapshots, as simple as the protocol allows.
struct SnapshotDouble {
    var rows: [String: SyncChange] = [:]
    var order: [String] = []
    var marks: [String] = []
    var end: SnapshotEnd?

    mutating func take(_ text: String) throws {
        for line in text.split(separator: "\n") {
            switch try SnapshotLine(Data(line.utf8)) {
            case .row(let change):
                rows[change.id] = change
                order.append(change.id)
            case .page(let mark): marks.append(mark)
            case .end(let end): self.end = end
            }
        }
    }
}

extension TestService {
    func fill(_ ids: [String], text: String = "note") async throws {
        let (collection, now) = (feature.collection, wallClock.now)
        try await store.write { transaction in
            for id in ids {
                _ = try collection.insert(id, NoteDraft(text: "\(text) \(id)", level: 1), at: now, in: transaction)
            }
        }
    }

    func edit(_ id: String, to text: String) async throws {
        let (collection, now) = (feature.collection, wallClock.now)
        try await store.write { transaction in
            _ = try collection.update(id, NoteDraft(text: text, level: 2), at: now, in: transaction)
        }
    }

    func remove(_ id: String) async throws {
        let now = wallClock.now
        try await store.write { transaction in
            try transaction.execute("DELETE FROM note WHERE id = \(id)")
            try ChangeLog.stamp(.delete, collection: "notes", id: id, at: now, in: transaction)
        }
    }
}

@Suite struct SnapshotTests {
    private func fetch(_ client: Client, _ query: String = "") async throws -> SnapshotDouble {
        let reply = try await client.send(.get, "/v1/sync/snapshot\(query)")
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.headers[.contentType] == "application/x-ndjson")
        #expect(reply.headers[.cacheControl] == "no-store")
        var snapshot = SnapshotDouble()
        try snapshot.take(reply.text)
        return snapshot
    }

    @Test func `returns every live row once, by id, and a cursor for later changes`() async throws {
        try await withService { service, client in
            try await service.fill((0..<25).map { "n\($0)" })
            try await service.remove("n7")
            try await service.edit("n3", to: "quote \" back \\ line\nbreak \u{1} ümläut 🚒")
            let snapshot = try await fetch(client)
            #expect(snapshot.order == snapshot.rows.keys.sorted() && snapshot.order.count == 24)
            #expect(snapshot.rows["n7"] == nil)
            #expect(try await snapshot.end?.upTo == service.lastPlace)
            #expect(snapshot.end?.rows == 24)
            var puller = SyncClientDouble(client)
            try await puller.pullAll()
            #expect(snapshot.rows == puller.rows, "the same rows as a replacement round")
            puller.cursor = snapshot.end?.cursor
            #expect(try await puller.pull().changes.isEmpty)
            try await service.edit("n1", to: "later")
            let page = try await puller.pull()
            #expect(page.changes.map(\.id) == ["n1"] && !page.isReplacement)
        }
    }

    @Test func `of nothing is its last line`() async throws {
        try await withService { _, client in
            let snapshot = try await fetch(client)
            #expect(snapshot.rows.isEmpty && snapshot.marks.isEmpty && snapshot.end?.rows == 0)
            #expect(snapshot.end?.cursor != nil)
        }
    }

    @Test(arguments: [1, 5, 7, 24, 25, 26])
    func `continues from any page mark without a gap or a repetition`(limit: Int) async throws {
        try await withService { service, client in
            try await service.fill((0..<25).map { "n\($0)" })
            let whole = try await fetch(client, "?limit=\(limit)")
            let last = try await service.lastPlace
            #expect(whole.marks.count == 25 / limit && whole.order.count == 25)
            for (index, mark) in whole.marks.enumerated() {
                let rest = try await fetch(client, "?limit=\(limit)&page=\(mark)")
                #expect(rest.order == Array(whole.order.dropFirst((index + 1) * limit)))
                #expect(rest.end?.cursor != nil && rest.end?.upTo == last)
            }
        }
    }

    @Test func `ends a piece early where rows are large`() async throws {
        try await withService { service, client in
            let ids = (0..<900).map { "n\(1000 + $0)" }
            try await service.fill(ids, text: String(repeating: "x", count: 9000))
            let whole = try await fetch(client, "?limit=10000")
            #expect(whole.marks.count == 7, "After 116 rows each, which have more than 1 MiB.")
            #expect(whole.order == ids && whole.end?.rows == 900)
            let rest = try await fetch(client, "?limit=10000&page=\(whole.marks[0])")
            #expect(rest.order == Array(ids.dropFirst(116)))
        }
    }

    @Test func `begins with small pieces, so that the first rows are stored while others are read`() async throws {
        try await withService { service, client in
            let ids = (0..<3500).map { "n\(10_000 + $0)" }
            try await service.fill(ids)
            let whole = try await fetch(client, "?limit=10000")
            #expect(whole.order == ids && whole.marks.count == 2)
            for (mark, count) in zip(whole.marks, [2500, 1500]) {
                let rest = try await fetch(client, "?limit=10000&page=\(mark)")
                #expect(rest.order == Array(ids.suffix(count)))
            }
        }
    }

    @Test func `omits rows written after its start, and its cursor delivers them`() async throws {
        try await withService { service, client in
            try await service.fill((10..<35).map { "n\($0)" })
            let first = try await fetch(client, "?limit=10")
            // An interrupted reader has stored the first page only.
            try await service.edit("n11", to: "touched before the mark")
            try await service.edit("n30", to: "touched behind the mark")
            try await service.fill(["n99"], text: "new")
            try await service.remove("n33")
            var kept = first.rows.filter { first.order.prefix(10).contains($0.key) }
            let rest = try await fetch(client, "?limit=10&page=\(first.marks[0])")
            #expect(!rest.order.contains("n30") && !rest.order.contains("n99") && !rest.order.contains("n33"))
            kept.merge(rest.rows) { $1 }
            var puller = SyncClientDouble(client)
            puller.rows = kept
            puller.cursor = rest.end?.cursor
            try await puller.pullAll(limit: 2)
            var newcomer = SyncClientDouble(client)
            try await newcomer.pullAll()
            #expect(puller.rows == newcomer.rows)
        }
    }

    @Test func `of one bucket has that bucket's rows and no cursor`() async throws {
        try await withService { service, client in
            let ids = (0..<600).map { "n\($0)" }
            try await service.fill(ids)
            var found: [String] = []
            for bucket in 0..<RowDigest.buckets {
                let part = try await fetch(client, "?bucket=\(bucket)&limit=2")
                #expect(part.end?.cursor == nil && part.end?.rows == part.order.count)
                #expect(part.order.allSatisfy { RowHash(id: $0, version: 0).bucket == bucket })
                found += part.order
            }
            #expect(found.sorted() == ids.sorted())
        }
    }

    @Test func `of a service that stops ends at a page mark, without a cursor`() async throws {
        try await withTemporaryDirectory { directory in
            let service = try await TestService(directory: directory)
            try await service.application().prepare()
            try await service.fill((0..<10).map { "n\($0)" })
            let collections: [String: any SyncedCollection] = ["notes": service.feature.collection]
            let owner = Principal.host(tokenId: "h", name: "h")
            let reader = SnapshotReader(
                collections: collections, names: nil, caller: owner, limit: 4)
            let signal = CommitSignal()
            let start = try await service.store.read { try reader.start(at: nil, bucket: nil, in: $0) }
            let source = SnapshotSource(reader: reader, store: service.store, signal: signal)
            let first = try await source.chunk(from: start)
            let second = try #require(try await first.next())
            signal.close()
            #expect(try await second.next() == nil)
            var snapshot = SnapshotDouble()
            try snapshot.take(String(decoding: first.bytes + second.bytes, as: UTF8.self))
            #expect(snapshot.order.count == 8 && snapshot.marks.count == 2 && snapshot.end == nil)
            let place = try #require(SnapshotReader.Place(snapshot.marks[1]))
            try snapshot.take(String(decoding: try await source.chunk(from: place).bytes, as: UTF8.self))
            #expect(snapshot.order.count == 10 && snapshot.end != nil)
            try await service.close()
        }
    }

    @Test func `a page mark of another history or before the tombstones is refused`() async throws {
        try await withService { service, client in
            try await service.fill((0..<5).map { "n\($0)" })
            let mark = try #require(try await fetch(client, "?limit=2").marks.first)
            let other = try await client.send(.get, "/v1/sync/snapshot?page=\(mark)", as: "bert")
            #expect(try other.problem().code == SyncCode.scopeChanged && other.status == 409)
            let bucket = try await client.send(.get, "/v1/sync/snapshot?page=\(mark)&bucket=1")
            #expect(try bucket.problem().code == SyncCode.invalidCursor && bucket.status == 400)
            try await service.remove("n0")
            service.wallClock.advance(by: .seconds(91 * 24 * 3600))
            let now = service.wallClock.now
            try await service.store.write { try SyncTables.prune(at: now, in: $0) }
            let expired = try await client.send(.get, "/v1/sync/snapshot?page=\(mark)")
            #expect(try expired.problem().code == SyncCode.cursorExpired && expired.status == 410)
            try await service.store.write { try $0.execute("UPDATE sync_meta SET epoch = 'other'") }
            let replaced = try await client.send(.get, "/v1/sync/snapshot?page=\(mark)")
            #expect(try replaced.problem().code == SyncCode.epochChanged && replaced.status == 409)
        }
    }
}

@Suite struct JSONTextTests {
    @Test(arguments: [
        "", "plain", "\"", "\\", "\n\r\t", "\u{1}\u{1f}\u{7f}", "a\"b\\c\nd", "ümläut 🚒 \u{2028}", "/slash/",
    ])
    func `text is read back as it was`(text: String) throws {
        var json = JSONText()
        json.string(text)
        #expect(try WireJSON.decode(String.self, from: Data(json.bytes)) == text)
    }

    @Test(arguments: [0, 1, -1, 9, 10, 1_767_225_600_000, Int.max, Int.min])
    func `integers are read back as they were`(number: Int) throws {
        var json = JSONText()
        json.integer(number)
        #expect(String(decoding: json.bytes, as: UTF8.self) == String(number))
    }

    @Test func `any value is written as the encoder writes it`() throws {
        let value: [String: JSONValue] = [
            "a": .null, "b": .bool(true), "c": .number(1.5), "d": .array([.integer(1), .string("x")]),
            "e": .object(["k": .string("v")]), "f": .string("\u{8}"),
        ]
        var json = JSONText()
        try json.object(value)
        #expect(try WireJSON.decode([String: JSONValue].self, from: Data(json.bytes)) == value)
        var empty = JSONText()
        try empty.object([:])
        #expect(String(decoding: empty.bytes, as: UTF8.self) == "{}")
    }
}
