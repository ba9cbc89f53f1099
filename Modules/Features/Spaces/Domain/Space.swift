package import StrataDomain

/// A group of users with rows that only they see. An entity with `ownership = Ownership.space` names it in its field `space_id`.
package struct Space: Entity {
    package static let noun = "space"
    package static let collection = "spaces"
    /// Its members see it; a role says who renames and deletes it. Every user may create one, and is its first administrator.
    package static let ownership = Ownership.space
    package static let listOrder: String? = "name"
    package static let fields: [EntityField<Space>] = [.init("name", \.name, .line(1...80)).searchable.sortable]

    package var name: String

    package init(name: String) { self.name = name }
}
