extension [StoreMigration] {
    /// The migrations in a stable order, each after those it names.
    ///
    /// A database with some of them gets the others: applied migrations are known by name.
    ///
    /// - Throws: For a duplicate name, an unknown name, and a cycle.
    func inOrder() throws(MigrationOrderError) -> [StoreMigration] {
        var byName: [String: StoreMigration] = [:]
        for migration in self {
            guard byName.updateValue(migration, forKey: migration.name) == nil else {
                throw .duplicate(migration.name)
            }
        }
        var order = Order(byName: byName)
        for migration in self { try order.append(migration, []) }
        return order.list
    }
}

private struct Order {
    let byName: [String: StoreMigration]
    var list: [StoreMigration] = []
    private var placed: Set<String> = []

    init(byName: [String: StoreMigration]) { self.byName = byName }

    /// - Parameter waiting: Names of the migrations that wait for this one, the nearest last.
    mutating func append(_ migration: StoreMigration, _ waiting: [String]) throws(MigrationOrderError) {
        guard !placed.contains(migration.name) else { return }
        guard !waiting.contains(migration.name) else { throw .cycle(migration.name) }
        for name in migration.earlier {
            guard let earlier = byName[name] else { throw .missing(name, neededBy: migration.name) }
            try append(earlier, waiting + [migration.name])
        }
        placed.insert(migration.name)
        list.append(migration)
    }
}

/// Migrations that cannot be ordered.
public enum MigrationOrderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Two migrations have this name.
    case duplicate(String)
    /// A migration comes after one that does not exist.
    case missing(String, neededBy: String)
    /// Migrations wait for each other.
    case cycle(String)

    public var description: String {
        switch self {
        case .duplicate(let name):
            "Two migrations are called '\(name)', so that one of them would never run; give the newer another name."
        case .missing(let name, let migration):
            "The migration '\(migration)' comes after '\(name)', which no feature has; add the feature, or correct the name."
        case .cycle(let name):
            "The migration '\(name)' comes after itself, over others; make one of them part of a later migration."
        }
    }
}
