import StrataClient
import StrataOffline

/// What waits for a user in a home.
struct Waiting: Sendable {
    let rows: [Stored<Note>]
    let conflicts: [SyncConflict]
    let unsent: [OutboxEntry]
    let missing: [Stored<Note>]

    var refused: [OutboxEntry] { unsent.filter { $0.state == .rejected } }

    /// As the harness reads it. Writes behind a refused one of their note are dropped with it, so they are shown too.
    var held: [Reply.Held] {
        let titles = Dictionary(rows.map { ($0.id.rawValue, $0.title) }, uniquingKeysWith: { first, _ in first })
        let blocked = Set(refused.map(\.mutation.entityId))
        return conflicts.map { conflict in
            let title = [conflict.local, conflict.remote, conflict.base].lazy.compactMap { $0?["title"]?.string }.first
            return Reply.Held(
                title: title ?? titles[conflict.entityId] ?? "?", body: conflict.local?["body"]?.string ?? "",
                kind: "conflict")
        }
            + unsent.map(\.mutation).filter { blocked.contains($0.entityId) }.map { mutation in
                Reply.Held(
                    title: mutation.fields["title"]?.string ?? titles[mutation.entityId] ?? "?",
                    body: mutation.fields["body"]?.string ?? "", kind: "refused")
            }
            + missing.map { Reply.Held(title: $0.title, body: $0.body, kind: "missing") }
    }
}
