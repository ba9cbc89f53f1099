import FoundationEssentials
import StrataDomain

/// The caller and the collections of a synchronisation. A cursor is valid for one scope.
struct SyncScope: Sendable {
    /// The requested collections that this server has, by name.
    let collections: [String]
    /// The private collections, each with the author whose rows the caller sees; without those that the caller sees whole.
    let owners: [String: String]
    /// Identifies caller, collections and row formats.
    let fingerprint: String

    /// - Parameter names: Names separated by commas; `nil` for all. Unknown names are allowed for clients that are newer than
    ///   the server; a server that learns the name has another fingerprint.
    /// - Throws: 400 for a malformed list.
    init(
        _ names: String?, of owner: Principal, _ known: [String: any SyncedCollection]
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
        owners = Dictionary(
            uniqueKeysWithValues: collections.compactMap { name in
                known[name]?.owner(seenBy: owner).map { (name, $0) }
            })
        // A user who becomes an administrator, or ceases to be one, sees other rows of private collections.
        for name in collections where known[name]?.isPrivate == true {
            hash.combine(name)
            hash.combine(owners[name] == nil ? "all" : "own")
        }
        fingerprint = hash.text
    }

    /// The entries of the change log that the caller sees.
    var condition: Statement {
        // `|| ''` keeps the engine from using the index on collection, which would read whole collections.
        let whole: Statement = "collection || '' IN (\(list: collections.filter { owners[$0] == nil }))"
        guard let owner = owners.values.first else { return whole }
        return "(\(whole) OR collection || '' IN (\(list: owners.keys.sorted())) AND owner = \(owner))"
    }
}
