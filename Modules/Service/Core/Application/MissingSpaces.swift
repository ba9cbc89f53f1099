import StrataDomain

/// An entity of spaces in a backend that does not have them, or without a required `space_id`.
public struct MissingSpaces: Error, Sendable, Hashable, CustomStringConvertible {
    /// The collection whose rows belong to spaces.
    public let collection: String
    let isWithoutFeature: Bool

    /// - Throws: For the first table of spaces that `spaces` does not know, or whose rows may be in none.
    static func check(_ tables: [any RelatedTable], in spaces: (any SpaceDirectory)?) throws(MissingSpaces) {
        for table in tables where table.ownership == .space && table.name != spaces?.collection {
            let isStated = table.references.contains {
                $0.field == Ownership.spaceField && $0.target == spaces?.collection
            }
            let isOptional = table.columns.contains { $0.name == Ownership.spaceField && $0.isOptional }
            guard spaces != nil, isStated, !isOptional else {
                throw MissingSpaces(collection: table.name, isWithoutFeature: spaces == nil)
            }
        }
    }

    public var description: String {
        isWithoutFeature
            ? "The rows of '\(collection)' belong to spaces, and no feature of this backend has spaces; add the feature Spaces to it."
            : "The rows of '\(collection)' belong to spaces; give its entity a required field '\(Ownership.spaceField)' that "
                + "'references(Space.self)'."
    }
}
