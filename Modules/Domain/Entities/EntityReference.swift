/// The entity whose id a field has, and what its deletion does.
public struct EntityReference: Sendable {
    /// The type of the entity that is named.
    public let target: any Entity.Type
    /// What the deletion of that entity does to this one.
    public let onDelete: DeleteRule

    init(target: any Entity.Type, onDelete rule: DeleteRule) { (self.target, onDelete) = (target, rule) }
}

/// What the deletion of an entity does to those that name it. All of it happens in one transaction.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
    /// The deletion is refused (409) while entities name it.
    case restrict
    /// Those that name it are deleted, too. It is refused (409) while one of them must not be deleted by the same user.
    case cascade
    /// The field is left without a value; it must be optional. Also in entities of other authors: their id would name nothing.
    case clear
}

extension Entity {
    /// The field that names an entity to people: `nameFieldName`, else the first unique text of one line, else the first one.
    /// `nil` without one; ids stand for names then.
    public static var nameField: EntityField<Self>? {
        if let nameFieldName { return fields.first { $0.name == nameFieldName } }
        let lines = fields.filter {
            $0.kind == .text && !$0.isLong && !$0.isOptional && !$0.isRedacted && $0.isPlain && $0.choices == nil
        }
        return lines.first(where: \.isUnique) ?? lines.first
    }
}
