import StrataDomain

extension HeaderFields {
    /// These fields without those that belong to one connection (RFC 9110, section 7.6.1).
    var forwarded: HeaderFields {
        let dropped = Self.perConnection.union(elements("Connection").map { $0.lowercased() })
        var fields = HeaderFields()
        for field in self where !dropped.contains(field.name.lowercased()) { fields.add(field.name, field.value) }
        return fields
    }

    private static let perConnection: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
