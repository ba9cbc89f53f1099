import StrataDomain

/// What the tables must know of a collection of another API.
struct RemoteShape: Sendable, Hashable {
    var name: String
    /// The collection that a field refers to, by the name of the field: as the entity states it, and as its `RemoteCollection` does. Only
    /// collections that are synchronised too.
    var references: [String: String]
    /// The fields of the natural key; empty without one.
    var key: [String]
    /// Whether the sender chooses ids.
    var choosesIDs: Bool
}

/// The shapes of all collections of a store.
struct RemoteShapes: Sendable {
    private let all: [String: RemoteShape]
    /// The fields that refer to a collection, with their own collections.
    private let referrers: [String: [Referrer]]

    typealias Referrer = (collection: String, field: String)

    init(_ remotes: [String: any RemoteCollection], _ collections: [String: OfflineCollection]) {
        let all = Dictionary(
            uniqueKeysWithValues: remotes.map { name, remote in
                var (key, choosesIDs) = ([String](), false)
                switch remote.abilities.ids {
                case .client: choosesIDs = true
                case .server: break
                case .naturalKey(let fields): key = fields
                }
                let stated = collections[name]?.targets ?? [:]
                let references = stated.merging(remote.references) { $1 }.filter { remotes[$0.value] != nil }
                return (
                    name, RemoteShape(name: name, references: references, key: key, choosesIDs: choosesIDs)
                )
            })
        let pairs = all.values.sorted { $0.name < $1.name }.flatMap { shape in
            shape.references.sorted { $0.key < $1.key }.map { ($0.value, (collection: shape.name, field: $0.key)) }
        }
        referrers = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
        self.all = all
    }

    subscript(name: String) -> RemoteShape {
        all[name] ?? RemoteShape(name: name, references: [:], key: [], choosesIDs: false)
    }

    /// The fields that refer to a collection, with their own collections.
    func referring(to name: String) -> [Referrer] { referrers[name] ?? [] }

    /// All names; a collection comes after those that it refers to, where no circle forbids it.
    var order: [String] {
        var (done, order) = (Set<String>(), [String]())
        func visit(_ name: String) {
            guard done.insert(name).inserted else { return }
            for target in Set(self[name].references.values).sorted() { visit(target) }
            order.append(name)
        }
        for name in all.keys.sorted() { visit(name) }
        return order
    }
}
