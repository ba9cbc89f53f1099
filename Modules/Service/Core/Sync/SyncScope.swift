import FoundationEssentials
import StrataDomain

/// The caller and the collections of a synchronisation. A cursor is valid for one scope.
struct SyncScope: Sendable {
    /// The requested collections that this server has, by name.
    let collections: [String]
    /// The collections of authors and of spaces, each with those whose rows the caller sees, and with none those that the caller's role
    /// does not read; without collections that the caller sees whole.
    let owners: [String: [String]]
    /// Identifies caller, collections and row formats.
    let fingerprint: String

    /// - Parameters:
    ///   - names: Names separated by commas; `nil` for all. Unknown names are allowed for clients that are newer than
    ///   the server; a server that learns the name has another fingerprint.
    ///   - reader: Where the memberships are read: the snapshot of what the scope is for.
    /// - Throws: 400 for a malformed list.
    init(
        _ names: String?, of owner: Principal, _ known: [String: any SyncedCollection], in reader: any StoreReader
    ) throws {
        var hash = StableHash()
        hash.combine(owner.key)
        if let names {
            let wanted = Set(names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)).sorted()
            guard wanted.count <= 100, wanted.allSatisfy({ (1...100).contains($0.utf8.count) }) else {
                throw EndpointError(
                    .malformed, in: .query, key: "collections", expected: "up to 100 names, joined by commas")
            }
            for name in wanted {
                hash.combine(name)
                hash.combine(known[name]?.schema ?? 0)
            }
            collections = wanted.filter { known[$0] != nil }
        } else {
            // A new collection has rows of later versions only. Rows of another format must be fetched again.
            hash.combine("*")
            for (name, collection) in known.sorted(by: { $0.key < $1.key }) where collection.schema > 1 {
                hash.combine(name)
                hash.combine(collection.schema)
            }
            collections = known.keys.sorted()
        }
        var owners: [String: [String]] = [:]
        for name in collections {
            guard let collection = known[name] else { continue }
            let seen = try collection.owners(seenBy: owner, in: reader)
            owners[name] = seen
            // A user who becomes an administrator, or ceases to be one, sees other rows of private collections; one who joins or leaves
            // a space, other rows of its collections; one with another role, all rows of a collection or none.
            guard seen != nil || collection.isPrivate else { continue }
            hash.combine(name)
            for part in seen.map({ $0 == [owner.key] ? ["own"] : $0 }) ?? ["all"] { hash.combine(part) }
        }
        self.owners = owners
        fingerprint = hash.text
    }

    /// The entries of the change log that the caller sees.
    var condition: Statement {
        // `|| ''` keeps the engine from using the index on collection, which would read whole collections.
        let whole: Statement = "collection || '' IN (\(list: collections.filter { owners[$0] == nil }))"
        // Most collections have the same owners.
        let parts = Dictionary(grouping: owners.keys.sorted()) { owners[$0] ?? [] }.sorted { $0.value[0] < $1.value[0] }
        guard !parts.isEmpty else { return whole }
        let own = parts.map { owners, names in
            " OR collection || '' IN (\(list: names)) AND owner IN (\(list: owners))" as Statement
        }
        return "(\(own.reduce(whole) { "\($0)\($1)" }))"
    }
}
