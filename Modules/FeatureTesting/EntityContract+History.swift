import StrataDomain

extension EntityContract {
    /// Former names, removed fields and rewrites that contradict each other.
    static var historyFailures: [String] {
        let names = Content.fields.map(\.name)
        let removed = Content.removedFields.map(\.name)
        let former = Content.fields.flatMap(\.history.formerNames) + removed
        var failures: [String] = []
        for name in Set(former).sorted() where names.contains(name) {
            failures.append(
                "'\(name)' is a field and the name of an earlier one; choose another name for the new field.")
        }
        if Set(former).count != former.count { failures.append("An earlier field is named twice: \(former).") }
        let columns = Content.storedFields.map(\.column)
        if Set(columns).count != columns.count { failures.append("Two fields have the same column: \(columns).") }
        for field in Content.fields {
            guard let origin = field.history.origin else { continue }
            if !removed.contains(origin.name) {
                failures.append("'\(field.name)' comes from '\(origin.name)', which must be among the removed fields.")
            }
            if field.version == 1 {
                failures.append(
                    "'\(field.name)' comes from '\(origin.name)' and needs a column of its own: 'since(VERSION)'.")
            }
        }
        for field in Content.removedFields where field.reference != nil && !field.isOptional {
            failures.append("'\(field.name)' refers to other entities; make it optional before you remove it.")
        }
        for field in Content.removedFields where field.isUnique && !field.isOptional && field.kind != .text {
            failures.append("'\(field.name)' is unique and no text; make it optional before you remove it.")
        }
        let rewrites = Content.rewrites.map(\.name)
        if Set(rewrites).count != rewrites.count { failures.append("Two rewrites have the same name: \(rewrites).") }
        return failures
    }
}
