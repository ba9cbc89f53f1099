/// An entity of a feature, and the file that states it.
package struct EntityPlace: Sendable, Hashable {
    /// `Incident`.
    let entity: String
    /// `Incidents`.
    let feature: String
    let file: RelativePath

    var domain: String { "\(feature)Domain" }

    /// Entities are found by their file in a feature's folder `Domain`: `Incident` in `Incident.swift`.
    static func all(in tree: SourceTree) throws(ScaffoldRefusal) -> [EntityPlace] {
        let features: RelativePath = "Modules/Features"
        var found: [EntityPlace] = []
        for feature in try tree.names(in: features) {
            for path in try tree.paths(under: features.appending("\(feature)/Domain"))
            where path.name.hasSuffix(".swift") {
                found.append(EntityPlace(entity: String(path.name.dropLast(6)), feature: feature, file: path))
            }
        }
        return found
    }

    /// Those that a feature refers to.
    ///
    /// - Parameters:
    ///   - tree: The repository.
    ///   - strata: The tree of Strata, where the users are.
    /// - Throws: A refusal for an entity that no feature has, and for a type that is none.
    static func referred(
        to entities: [String], by spec: FeatureSpec, in tree: SourceTree, strata: SourceTree
    ) throws(ScaffoldRefusal) -> [EntityPlace] {
        let own = try all(in: tree)
        let accounts = try all(in: strata).filter { $0.feature == "Accounts" }
        return try entities.mapThrowing { entity throws(ScaffoldRefusal) in
            for (places, tree) in [(own, tree), (accounts, strata)] {
                guard let place = places.first(where: { $0.entity == entity }) else { continue }
                try place.requireEntity(in: tree)
                return place
            }
            let hint = entity == spec.name.upperCamel ? "uuid' for an entity of the same feature" : "reference(User)'"
            throw ScaffoldRefusal(
                "'\(entity)' is referred to, but no feature has a file 'Domain/\(entity).swift'. Use the name of an entity, or "
                    + "'\(Spelling(entity).lowerCamel):\(hint).", .usage)
        }
    }

    /// - Throws: A refusal for a type that is no `Entity`: it has no table. Ids of users are not checked, so that a `User` may be any type.
    private func requireEntity(in tree: SourceTree) throws(ScaffoldRefusal) {
        let text = try tree.text(file)
        let isEntity =
            text.contains("EntityField<\(entity)>")
            || text.split(separator: "\n").contains { $0.contains(" \(entity): ") && $0.contains("Entity") }
        guard entity != Field.Kind.user, !isEntity else { return }
        throw ScaffoldRefusal(
            "'\(entity)' in '\(file)' is no entity, so there is no table to refer to. Use '\(Spelling(entity).lowerCamel):uuid' for an id "
                + "that is not checked.", .usage)
    }
}

extension Array {
    /// `map` whose closure may refuse.
    func mapThrowing<Result>(
        _ transform: (Element) throws(ScaffoldRefusal) -> Result
    ) throws(ScaffoldRefusal) -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try transform(element)) }
        return results
    }

    /// `filter` whose closure may refuse.
    func filterThrowing(
        _ isIncluded: (Element) throws(ScaffoldRefusal) -> Bool
    ) throws(ScaffoldRefusal) -> [Element] {
        var kept: [Element] = []
        for element in self where try isIncluded(element) { kept.append(element) }
        return kept
    }
}
