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
    /// - Throws: A refusal for an entity that no feature has.
    static func referred(
        to entities: [String], by spec: FeatureSpec, in tree: SourceTree, strata: SourceTree
    ) throws(ScaffoldRefusal) -> [EntityPlace] {
        let accounts = try all(in: strata).filter { $0.feature == "Accounts" }
        let places = try all(in: tree) + accounts
        return try entities.mapThrowing { entity throws(ScaffoldRefusal) in
            if let place = places.first(where: { $0.entity == entity }) { return place }
            let hint = entity == spec.name.upperCamel ? "uuid' for an entity of the same feature" : "reference(User)'"
            throw ScaffoldRefusal(
                "'\(entity)' is referred to, but no feature has a file 'Domain/\(entity).swift'. Use the name of an entity, or "
                    + "'\(Spelling(entity).lowerCamel):\(hint).", .usage)
        }
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
