import Foundation
import StrataClient
import StrataOffline

/// A line from the harness, and what it is answered.
struct Order: Decodable, Sendable {
    var n: Int
    var `do`: String
    var title: String?
    var body: String?
    var folder: String?
    var keep: SyncConflict.Side?
}

struct Reply: Encodable, Sendable {
    var n: Int
    var ok = true
    var did: String?
    var error: String?
    var unsent: Int?
    var rows: [Row]?
    var held: [Held]?

    struct Row: Encodable, Sendable {
        var title: String
        var body: String
        var folder: String?
    }

    /// A write that waits for a user.
    struct Held: Encodable, Sendable {
        var title: String
        var body: String
        var kind: String
    }
}

/// The store of one home. It knows nothing of the server beside its address and what `Server` says of it.
struct Home: Sendable {
    enum Server: String { case rest, fastapi, jsonapi }

    let offline: Offline
    let notes: OfflineEntities<Note>
    let folders: OfflineEntities<Folder>?

    init(_ server: Server, at path: String, _ address: String) throws {
        let client = try StrataClient(address, options: ClientOptions(json: .asDeclared))
        offline = try Offline(at: path, client: client)
        switch server {
        case .rest:
            folders = try offline.collection(Folder.self, RESTServer.folders)
            notes = try offline.collection(Note.self, RESTServer.notes)
        case .fastapi: (folders, notes) = (nil, try offline.collection(Note.self, FastAPIServer.notes))
        case .jsonapi: (folders, notes) = (nil, try offline.collection(Note.self, JSONAPIServer.notes))
        }
    }

    func reply(to order: Order) async -> Reply {
        var reply = Reply(n: order.n)
        do {
            switch order.do {
            case "add":
                let folder = try await folder(order.folder)
                try await notes.create(Note(title: order.title ?? "", body: order.body ?? "", folder: folder))
            case "edit":
                let body = order.body ?? ""
                if let note = try await note(order) { try await notes.update(note) { $0.body = body } }
            case "delete": if let note = try await note(order) { try await notes.delete(note) }
            case "sync":
                reply.did = "sync"
                try await offline.sync()
            case "list": try await list(into: &reply)
            case "settle": try await settle(order.keep ?? .remote, into: &reply)
            default: throw DomainError.unexpected("'\(order.do)' is no order.")
            }
        } catch let error as DomainError where error.kind == .notFound {
            (reply.ok, reply.error) = (false, "absent")
        } catch {
            (reply.ok, reply.error) = (false, "\(error)")
        }
        return reply
    }

    private func note(_ order: Order) async throws -> Note.ID? {
        guard let found = try await notes.list().first(where: { $0.title == order.title }) else {
            throw DomainError.notFound("No note '\(order.title ?? "")' is here.")
        }
        return found.id
    }

    /// The id here of the folder with a name, which is made when it is missing. It may be unsent as the note is.
    private func folder(_ name: String?) async throws -> RemoteID? {
        guard let name, let folders else { return nil }
        if let found = try await folders.list().first(where: { $0.name == name }) { return RemoteID(found.id.rawValue) }
        return RemoteID(try await folders.create(Folder(name: name)).rawValue)
    }

    private func list(into reply: inout Reply) async throws {
        let names = Dictionary(
            try await folders?.list().map { ($0.id.rawValue, $0.name) } ?? [], uniquingKeysWith: { first, _ in first })
        let rows = try await notes.list()
        reply.rows = rows.map { row in
            Reply.Row(title: row.title, body: row.body, folder: row.folder.map { names[$0.rawValue] ?? "?" })
        }
        reply.unsent = try await offline.status().unsent
        reply.held = try await waiting(rows).held
    }

    /// What waits for a user, read once: a run may add to it at any time, and only what was shown may be decided.
    private func waiting(_ rows: [Stored<Note>]) async throws -> Waiting {
        Waiting(
            rows: rows, conflicts: try await notes.conflicts, unsent: try await notes.unsent,
            missing: try await notes.heldDeletions)
    }

    private func settle(_ side: SyncConflict.Side, into reply: inout Reply) async throws {
        let waiting = try await waiting(try await notes.list())
        reply.held = waiting.held
        for conflict in waiting.conflicts {
            // Where titles may repeat, two homes that bring back one note would make two of it.
            try await notes.keep(conflict.remote == nil && folders == nil ? .remote : side, in: conflict.id)
        }
        for write in waiting.refused { try await notes.discard(write.id) }
        try await notes.confirmDeletions()
        try await folders?.confirmDeletions()
    }
}
