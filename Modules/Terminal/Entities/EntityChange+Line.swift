public import StrataDomain

extension EntityChange {
    /// A line of a list of changes: `2026-01-01 10:00:00Z  ada  changed severity, text`.
    public func line<Content: Entity>(of entity: Content.Type, _ times: TimeText) -> String {
        let labels = fields.map { name in Content.fields.first { $0.name == name }?.label ?? name }
        let what =
            switch operation {
            case .create: "created"
            case .update: labels.isEmpty ? "wrote the same values" : "changed \(labels.joined(separator: ", "))"
            case .delete: "deleted"
            case .earlier: "the last write before changes were recorded"
            }
        return [times.point(at), author, what].compactMap(\.self).joined(separator: "  ")
    }
}
