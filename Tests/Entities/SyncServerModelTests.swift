import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// `SyncServerModel` is the server of the simulation and of the engine's tests. The same random requests get the same answers
/// from it and from the real backend, on the chosen engine.
@Suite struct `The model of the sync server` {
    struct Remark: Entity {
        static let noun = "remark"
        static let collection = "remarks"
        static let fields: [EntityField<Remark>] = [
            .init("text", \.text, .line(1...40)), .init("mark", \.mark, .line(1...40)),
        ]
        var text: String
        var mark: String?
    }

    struct RemarksService: FeatureService {
        let table = EntityTable<Remark>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `answers random writes, pages, digests and snapshots as the service does`(seed: UInt64) async throws {
        try await withBackend(RemarksService()) { backend in
            let client = try backend.client()
            var pair = Pair(client: client, random: SeededRandom(seed: seed))
            for _ in 0..<60 { try await pair.step() }
            try await pair.compareAll()
        }
    }

    /// The model and the service side by side. Versions grow in both, but may be other numbers.
    private struct Pair {
        let client: HTTPAPIClient
        var random: SeededRandom
        var model = SyncServerModel(repeatsRowFields: false)
        private var log: [Mutation.ID: MutationResult] = [:]
        private var sent: [Mutation] = []
        /// The cursors of one client.
        private var cursors: (model: String, service: String)?
        /// The version in the service of a version in the model.
        private var versions: [Int: Int] = [:]

        init(client: HTTPAPIClient, random: SeededRandom) {
            self.client = client
            self.random = random
        }

        mutating func step() async throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: try await write()
            case 6, 7: try await pull()
            case 8: try await repeatWrite()
            default: try await compareAll()
            }
        }

        /// A create of a row that is not there, or another write with a right or an old base. What else a collection answers
        /// (a create of an equal row, a delete of a missing one) is up to the collection.
        private mutating func write() async throws {
            let key = SyncServerModel.Key(
                collection: Remark.collection, id: "r\(Int.random(in: 0..<8, using: &random))")
            let row = model.rows[key]
            let old = Bool.random(using: &random) || row == nil
            let base = row.map { old ? max($0.version - 1, 1) : $0.version }
            let operation: Mutation.Operation
            switch (row?.data == nil, Int.random(in: 0..<3, using: &random)) {
            case (true, 0): operation = .patch
            case (true, _): operation = .create
            case (false, 0): operation = .delete
            case (false, _): operation = .patch
            }
            var fields: [String: JSONValue] = [:]
            if operation != .delete {
                fields["text"] = .string("text \(Int.random(in: 0..<100, using: &random))")
                if Bool.random(using: &random) { fields["mark"] = Bool.random(using: &random) ? .null : .string("m") }
            }
            var mutation = Mutation(
                id: UUIDv7.string(at: .noon, using: &random), clientSeq: sent.count + 1, collection: key.collection,
                entityId: key.id, operation: operation, baseVersion: operation == .create ? nil : base ?? 1,
                fields: fields, at: .noon)
            let expected = model.apply(mutation)
            mutation.baseVersion = mutation.baseVersion.map { versions[$0] ?? 0 }
            sent.append(mutation)
            log[mutation.id] = expected
            try await compare(mutation, with: expected)
        }

        /// The stored result, without a second effect.
        private mutating func repeatWrite() async throws {
            guard let mutation = sent.randomElement(using: &random), let expected = log[mutation.id] else { return }
            try await compare(mutation, with: model.repeated(expected, of: mutation))
        }

        private mutating func compare(_ mutation: Mutation, with expected: MutationResult) async throws {
            let batch = MutationBatch(clientId: "client-1", mutations: [mutation], cursor: cursors?.service)
            let found = try #require(try await client.send(PushMutations(batch: batch)).results.first)
            #expect(found.id == expected.id && found.status == expected.status, "\(mutation)")
            if let version = expected.version, let real = found.version {
                #expect(versions[version] == nil || versions[version] == real)
                versions[version] = real
            }
            #expect((expected.version == nil) == (found.version == nil))
            #expect(content(found.current) == content(expected.current), "\(mutation)")
        }

        /// Both clients follow their cursors to the end of a round, in pages of random size.
        private mutating func pull() async throws {
            var isFirst = cursors == nil || Int.random(in: 0..<4, using: &random) == 0
            var pages = 0
            while pages < 20 {
                pages += 1
                let limit = Int.random(in: 1...5, using: &random)
                let expected = try model.page(
                    PullChanges(cursor: isFirst ? nil : cursors?.model, limit: limit, collections: Remark.collection))
                let found = try await client.send(
                    PullChanges(cursor: isFirst ? nil : cursors?.service, limit: limit, collections: Remark.collection))
                isFirst = false
                cursors = (expected.cursor, found.cursor)
                #expect(found.changes.map(content) == expected.changes.map(content))
                #expect(found.changes.map(\.version) == expected.changes.map { versions[$0.version] })
                #expect(found.hasMore == expected.hasMore && found.isReplacement == expected.isReplacement)
                guard expected.hasMore else { return }
            }
            Issue.record("a round without an end")
        }

        mutating func compareAll() async throws {
            let expected = model.live.filter { $0.key.collection == Remark.collection }
            let digest = try await client.send(FetchDigest(collections: Remark.collection))
            #expect(digest.collections.reduce(0) { $0 + $1.count } == expected.count)
            let buckets = Set(digest.collections.flatMap(\.buckets).map(\.bucket))
            #expect(buckets == Set(model.digest().collections.flatMap(\.buckets).map(\.bucket)))
            for bucket in [nil, buckets.min()] {
                let call = FetchSnapshot(collections: Remark.collection, limit: 3, bucket: bucket)
                let (theirs, ours) = (try await lines(call), try SyncServerModel.lines(model.snapshot(call)))
                #expect(theirs.rows.map(content) == ours.rows.map(content))
                #expect(theirs.end?.rows == ours.end?.rows)
                #expect((theirs.end?.cursor == nil) == (ours.end?.cursor == nil))
                #expect(theirs.pages == ours.pages)
            }
        }

        private func lines(_ call: FetchSnapshot) async throws -> SyncServerModel.Lines {
            try await client.stream(call, options: CallOptions()) { _, pieces in
                var bytes = Data()
                for try await piece in pieces { bytes.append(piece) }
                return try SyncServerModel.lines(String(decoding: bytes, as: UTF8.self))
            }
        }

        /// Without versions and times, and without what the service adds to a row.
        private func content(_ change: SyncChange?) -> String {
            guard let change else { return "none" }
            let fields = ["text", "mark"].map { change.data?[$0]?.string ?? "-" }
            return "\(change.id) \(change.operation) \(change.operation == .put ? fields.joined(separator: " ") : "")"
        }
    }
}

extension SyncServerModel {
    fileprivate struct Lines: Sendable {
        var rows: [SyncChange] = []
        /// Rows before each page mark.
        var pages: [Int] = []
        var end: SnapshotEnd?
    }

    fileprivate static func lines(_ text: String) throws -> Lines {
        var lines = Lines()
        for line in text.split(separator: "\n") {
            switch try SnapshotLine(Data(line.utf8)) {
            case .row(let row): lines.rows.append(row)
            case .page: lines.pages.append(lines.rows.count)
            case .end(let end): lines.end = end
            }
        }
        return lines
    }
}
