/// Makes entities of single values, without a JSON document in between: for the many rows of a table.
public struct EntityReader<Content: Entity>: Sendable {
    /// A closure, not the entity itself: the size of a service that stores a reader must not depend on the fields. After a new field,
    /// an incremental build compiles only the modules that import the entity, and a backend stores services of others.
    private let start: @Sendable () -> Content

    /// - Throws: `.unexpected` for an entity whose samples do not keep its rules.
    public init() throws(DomainError) {
        let sample = try Content.sample(onlyRequired: true)
        start = { sample }
    }

    /// - Parameter value: The value of a field; `.null` for none.
    /// - Throws: `.unexpected` that names a field with a value of another type.
    public func entity(
        _ value: (EntityField<Content>) throws -> JSONValue
    ) throws -> Content {
        var entity = start()
        for field in Content.fields where try !field.assign(&entity, value(field)) {
            throw DomainError.unexpected("A stored \(Content.noun) has a \(field.name) of another type.")
        }
        return entity
    }
}
