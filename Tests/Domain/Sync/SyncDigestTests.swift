import Foundation
import StrataDomain
import StrataTesting
import Testing

@Suite struct `Row digests` {
    @Test func `digests of the same rows are equal in any order, and empty after the last row is removed`() {
        var random = SeededRandom(seed: 7)
        let rows = (0..<500).map { RowHash(id: "row-\($0)", version: $0 * 3 + 1) }
        var (first, second) = (RowDigest(), RowDigest())
        for row in rows { first.insert(row) }
        for row in rows.shuffled(using: &random) { second.insert(row) }
        #expect(first == second && first.count == 500)
        for row in rows.shuffled(using: &random) { second.remove(row) }
        #expect(second == RowDigest())
    }

    @Test func `digests differ if one row is missing, replaced or at another version`() {
        let rows = (0..<100).map { RowHash(id: "row-\($0)", version: $0) }
        var whole = RowDigest()
        for row in rows { whole.insert(row) }
        for index in rows.indices {
            var other = whole
            other.remove(rows[index])
            #expect(other.sum != whole.sum)
            var newer = other
            newer.insert(RowHash(id: "row-\(index)", version: index + 1))
            #expect(newer.sum != whole.sum && newer.count == whole.count)
            var stranger = other
            stranger.insert(RowHash(id: "new-\(index)", version: index))
            #expect(stranger.sum != whole.sum)
        }
    }

    @Test func `ids are distributed evenly over the buckets, independent of the version`() {
        var counts = Array(repeating: 0, count: RowDigest.buckets)
        for index in 0..<25_600 {
            let bucket = RowHash(id: UUIDv7.string(at: Date(timeIntervalSince1970: Double(index))), version: 1).bucket
            counts[bucket] += 1
        }
        #expect(counts.allSatisfy { (40...180).contains($0) }, "100 are expected in each")
        #expect(RowHash(id: "a", version: 1).bucket == RowHash(id: "a", version: 99).bucket)
    }

    /// Clients and servers of different versions compare these numbers, so they must never change.
    @Test func `hashes have fixed values`() {
        var hash = StableHash()
        hash.combine("journal")
        hash.combine(42)
        #expect(hash.text == "7ab79b5a4e4afcdc")
        #expect(UInt64(0).hex == "0000000000000000")
        let row = RowHash(id: "0190b6c5-0000-7000-8000-000000000000", version: 7)
        #expect(row.bucket == 131)
        #expect(row.value.hex == "2161e4254ed6ba2f")
    }
}

@Suite struct `Snapshot lines` {
    @Test func `a row line is a change`() throws {
        let line = #"["notes","a",12,1767225600250,{"text":"x","level":1}]"# + "\n"
        let change = SyncChange(
            collection: "notes", id: "a", version: 12, updatedAt: Date(timeIntervalSince1970: 1_767_225_600.25),
            operation: .put, data: ["text": .string("x"), "level": .integer(1)])
        #expect(try SnapshotLine(Data(line.utf8)) == .row(change))
    }

    @Test func `a page mark and the last line are distinguished`() throws {
        #expect(try SnapshotLine(Data(#"{"page":"p1"}"#.utf8)) == .page("p1"))
        let end = #"{"cursor":"c1","rows":3,"up_to":40}"#
        #expect(try SnapshotLine(Data(end.utf8)) == .end(SnapshotEnd(cursor: "c1", upTo: 40, rows: 3)))
    }

    @Test(arguments: [
        "", "x", "[]", "[1]", #"["notes","a",12]"#, #"["notes","a","12",1,{}]"#, #"["notes","a",12,1,[]]"#,
        #"["notes","a",12,1,{}"#, #"{"page":1}"#, "{", #"{"up_to":"x"}"#, "{}",
    ])
    func `garbage is an error`(text: String) {
        #expect(throws: WireJSON.Failure.self) { try SnapshotLine(Data(text.utf8)) }
    }
}
