import FoundationEssentials
import StrataDomain

/// What a read before the transaction of a batch found, where writers run side by side: the stored results of its mutations, and
/// which rows of its creates do not exist.
///
/// Inside of the transaction such a read makes batches depend on each other that have neighbouring keys, and one of them would
/// be run again. Instead the transaction fails when what was read has changed (`StaleRead`), and both run again.
struct KnownMutations: Sendable {
    struct Stored: Sendable {
        var payloadHash: String
        var result: String
    }

    /// Ids that were looked for. An id that the batch has twice is not among them.
    private var ids: Set<Mutation.ID> = []
    private var stored: [Mutation.ID: Stored] = [:]
    /// Ids of rows, by collection.
    private(set) var absent: [String: Set<String>] = [:]

    init(
        _ mutations: [Mutation], of owner: Principal, _ collections: [String: any SyncedCollection],
        in reader: any StoreReader
    ) throws {
        let counts = mutations.reduce(into: [Mutation.ID: Int]()) { $0[$1.id, default: 0] += 1 }
        ids = Set(counts.filter { $0.value == 1 }.keys)
            .union(mutations.flatMap { $0.dependsOn ?? [] }.filter { counts[$0] == nil })
        for row in try reader.rows(
            """
            SELECT id, payload_hash, result FROM sync_mutation WHERE owner = \(owner.key) AND id IN (\(list: ids.sorted()))
            """)
        {
            stored[try row.text("id")] = Stored(
                payloadHash: try row.text("payload_hash"), result: try row.text("result"))
        }
        let created = Dictionary(grouping: mutations.filter { $0.operation == .create }, by: \.collection)
        for (name, creates) in created {
            guard let collection = collections[name] else { continue }
            // A row that the batch creates twice exists for the second one.
            let counts = creates.reduce(into: [String: Int]()) { $0[$1.entityId, default: 0] += 1 }
            let wanted = counts.filter { $0.value == 1 }.keys.sorted()
            let found = try collection.rows(wanted, in: reader)
            absent[name] = Set(wanted).subtracting(found.keys)
        }
    }

    /// - Returns: `nil` when the id was not looked for.
    func result(of id: Mutation.ID) -> Stored?? { ids.contains(id) ? .some(stored[id]) : nil }
}

/// A row appeared between a read and the transaction that relies on it.
struct StaleRead: Error {
    /// How often a read and its transaction run.
    static let mostRuns = 10
}
