import FoundationEssentials
import StrataDomain

/// What the server does to the rows of a table, besides requests.
struct RowWork: Sendable {
    enum Outcome {
        case unchanged, changed
        /// The row stays as it is, for this reason.
        case refused(String)
    }

    let collection: String
    /// Unique in the collection; stored in the database.
    let name: String
    /// Whether it is over when every row was passed once; otherwise rows that are written later are passed, too.
    let ends: Bool
    /// - Throws: What ends the transaction, and what refuses the row.
    let apply: @Sendable (_ id: String, _ now: Date, any StoreTransaction) throws -> Outcome
}

extension EntityTable {
    /// The conversion of stored forms, which lasts as long as older replicas may write, then the rewrites of the entity. They follow the change
    /// log, so a table without one has none.
    var rowWork: [RowWork] {
        guard versions == .changeLog else { return [] }
        var work: [RowWork] = []
        if columns.contains(where: { $0.history != nil }) {
            work.append(RowWork(collection: name, name: "forms", ends: false) { try convert($0, at: $1, in: $2) })
        }
        return work
            + Content.rewrites.map { rewrite in
                RowWork(collection: name, name: "rewrite \(rewrite.name)", ends: true) {
                    try apply(rewrite, to: $0, at: $1, in: $2)
                }
            }
    }

    private func convert(_ id: String, at now: Date, in transaction: any StoreTransaction) throws -> RowWork.Outcome {
        guard let row = try current(id, in: transaction) else { return .unchanged }
        if !row.former.isEmpty {
            try write(row.fields, as: id, over: row, by: .server, at: now, in: transaction)
        }
        guard !row.unreadable.isEmpty else { return row.former.isEmpty ? .unchanged : .changed }
        return .refused(
            "The stored \(row.unreadable.sorted().joined(separator: ", ")) cannot be converted; the column keeps it, and readers get "
                + "what stands for it. Give the \(Content.noun) another value.")
    }

    private func apply(
        _ rewrite: EntityRewrite<Content>, to id: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> RowWork.Outcome {
        guard let row = try current(id, in: transaction),
            let content = try rewrite.applied(to: content(of: row.fields))
        else { return .unchanged }
        try beforeWrite(content, over: row.fields, Identifier(id), by: .server, at: now, in: transaction)
        try write(content.wireFields(), as: id, over: row, by: .server, at: now, in: transaction)
        return .changed
    }
}

extension Principal {
    /// The server itself, for the hooks of a feature.
    static let server = Principal.user(User(id: "server", username: "server", isAdmin: true, sessionId: "server"))
}
