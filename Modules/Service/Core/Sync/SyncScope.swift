import FoundationEssentials
import StrataDomain

/// What a caller synchronises: whose view of which collections. A cursor is good for the scope it was given for.
struct SyncScope: Sendable {
    /// The collections of this server among those that were asked for, by name.
    let collections: [String]
    /// Names caller, collections and the form of their rows.
    let fingerprint: String

    /// - Parameter names: Names joined by commas; `nil` for all. A name this server does not know is allowed, for a newer
    ///   client talks to an older server at times; once the server knows it, the fingerprint is another.
    /// - Throws: 400 for what is no list of names.
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
            // A collection that comes later brings rows with later versions; only rows of another form must come anew.
            hash.combine("*")
            for (name, collection) in known.sorted(by: { $0.key < $1.key }) where collection.schema > 1 {
                hash.combine(name)
                hash.combine(collection.schema)
            }
            collections = known.keys.sorted()
        }
        fingerprint = hash.text
    }
}
