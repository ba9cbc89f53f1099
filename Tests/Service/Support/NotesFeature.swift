import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting

/// The notes of the tests, by REST and by sync.
struct NotesFeature: FeatureService {
    let arrived = Gate()
    let release = Gate()
    /// Counts the calls of `reclaim`.
    let reclaims = CallCounter()
    let collection = NotesCollection()

    var migrations: [StoreMigration] {
        [
            StoreMigration(
                "notes-1",
                """
                CREATE TABLE note (
                    id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL, level BIGINT NOT NULL,
                    version BIGINT NOT NULL, CHECK (level < 100))
                """,
                // A text may be longer than PostgreSQL indexes.
                "CREATE UNIQUE INDEX note_text ON note (substr(text, 1, 500), substr(text, length(text) - 20))")
        ]
    }

    var syncedCollections: [any SyncedCollection] { [collection] }

    func reclaim(_ store: any Store) async throws { reclaims.increment() }

    func mount(on routes: inout APIRoutes) {
        routes.read(ListNotes.self, for: .users) { call, _, reader in
            let limit = call.limit ?? 50
            guard (1...100).contains(limit) else {
                throw ServiceError.validation([FieldError(field: "limit", message: "must be 1 to 100")])
            }
            let rows = try reader.rows(
                "SELECT * FROM note WHERE id > \(call.cursor ?? "") ORDER BY id LIMIT \(limit + 1)")
            let notes = try rows.prefix(limit).map(NotePayload.init)
            return CursorPage(items: notes, nextCursor: rows.count > limit ? notes.last?.id : nil)
        }
        routes.write(CreateNote.self, for: .usersAndHosts) { call, _ in
            guard call.draft.level >= 0 else {
                throw ServiceError.validation([FieldError(field: "level", message: "must be 0 or more")])
            }
            return call.draft
        } _: { draft, scope, transaction in
            try collection.insert(UUID().uuidString, draft, at: scope.now, in: transaction)
        }
        routes.read(ShowNote.self, for: .users) { call, _, reader in
            guard let row = try reader.row("SELECT * FROM note WHERE id = \(call.id)") else {
                throw ServiceError.notFound("note", call.id)
            }
            return try NotePayload(row)
        }
        routes.write(UpdateNote.self, for: .users) { call, scope, transaction in
            guard let row = try transaction.row("SELECT * FROM note WHERE id = \(call.id)") else {
                throw ServiceError.notFound("note", call.id)
            }
            let old = try NotePayload(row)
            guard call.ifMatch.allows(old.entityTag) else {
                throw ServiceError.preconditionFailed("note", call.id, current: old.entityTag)
            }
            return try collection.update(call.id, call.draft, at: scope.now, in: transaction)
        }
        routes.write(DeleteNote.self, for: .users) { call, scope, transaction in
            guard try transaction.execute("DELETE FROM note WHERE id = \(call.id)") == 1 else {
                throw ServiceError.notFound("note", call.id)
            }
            try ChangeLog.stamp(.delete, collection: "notes", id: call.id, at: scope.now, in: transaction)
            return NoContent()
        }
        mountOthers(on: &routes)
    }

    private func mountOthers(on routes: inout APIRoutes) {
        routes.handle(ShowStation.self, for: .users) { call, _ in EchoPayload(text: "\(call.number)") }
        routes.write(CreateKey.self, for: .users) { _, _, _ in KeyPayload(key: UUID().uuidString) }
        routes.handle(SendForm.self, for: .anyone) { call, _ in EchoPayload(text: call.form.grantType) }
        routes.handle(Anything.self, for: .users) { call, _ in call.value }
        routes.handle(OpenDoor.self, for: .anyone) { _, scope in EchoPayload(text: scope.principal?.name ?? "nobody") }
        routes.handle(ShowPage.self, for: .anyone) { call, _ in
            HTMLPage(status: call.status, html: "<p>\(call.status)", styleNonce: "n")
        }
        routes.handle(AdminDoor.self, for: .admins) { _, scope in EchoPayload(text: try scope.user().username) }
        routes.handle(Hold.self, for: .anyone) { [arrived, release] _, _ in
            arrived.open()
            try await release.wait()
            return EchoPayload(text: "held")
        }
        routes.handle(Fail.self, for: .anyone) { call, _ in
            switch call.how {
            case "busy": throw BlockingPool.Busy()
            case "away": throw StoreError.unavailable("no file at /secret/path")
            case "full": throw StoreError.full("disk full at /secret/path")
            case "constraint": throw StoreError.constraint("UNIQUE constraint failed: secret.column")
            case "oauth":
                throw ServiceError(
                    Problem(title: "Bad grant", status: 400, code: "invalid_grant", error: "invalid_grant"))
            default: throw Unexpected()
            }
        }
    }

    struct Unexpected: Error, CustomStringConvertible {
        var description: String { "the inside story: password=hunter2" }
    }
}

extension NotePayload {
    init(_ row: StoreRow) throws {
        self.init(
            id: try row.text("id"), text: try row.text("text"), level: try row.int("level"),
            version: try row.int("version"))
    }
}

/// The synchronised half.
struct NotesCollection: SyncedCollection {
    let name = "notes"
    let fields: Set<String>? = ["text", "level"]

    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]] {
        var rows: [String: [String: JSONValue]] = [:]
        for row in try store.rows("SELECT * FROM note WHERE id IN (\(list: ids))") {
            rows[try row.text("id")] = [
                "text": .string(try row.text("text")), "level": .integer(try row.int("level")),
            ]
        }
        return rows
    }

    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int {
        let row = try transaction.row("SELECT * FROM note WHERE id = \(mutation.entityId)")
        let old = try row.map(NotePayload.init)
        let draft = NoteDraft(
            text: mutation.fields["text"]?.string ?? old?.text ?? "",
            level: mutation.fields["level"].flatMap { if case .integer(let level) = $0 { level } else { nil } }
                ?? old?.level ?? 0)
        switch mutation.operation {
        case .create:
            guard old == nil else { throw SyncConflictError() }
            return try insert(mutation.entityId, draft, at: now, in: transaction).version
        case .patch:
            guard let old else { throw ServiceError.notFound("note", mutation.entityId) }
            guard old.version == mutation.baseVersion else { throw SyncConflictError() }
            let version = try update(mutation.entityId, draft, at: now, in: transaction).version
            // Refused after the effect, so that the test sees it undone.
            guard draft.text != "forbidden" else {
                throw ServiceError.validation([FieldError(field: "text", message: "is forbidden")])
            }
            if draft.text == "explode" { throw NotesFeature.Unexpected() }
            return version
        case .delete:
            guard let old, old.version == mutation.baseVersion else { throw SyncConflictError() }
            try transaction.execute("DELETE FROM note WHERE id = \(mutation.entityId)")
            return try ChangeLog.stamp(.delete, collection: name, id: mutation.entityId, at: now, in: transaction)
                .version
        }
    }

    func insert(
        _ id: String, _ draft: NoteDraft, at now: Date, in transaction: any StoreTransaction
    ) throws -> NotePayload {
        let version = try ChangeLog.stamp(
            .put, collection: name, id: id, isNew: true, at: now, in: transaction
        ).version
        try transaction.execute(
            "INSERT INTO note (id, text, level, version) VALUES (\(id), \(draft.text), \(draft.level), \(version))")
        return NotePayload(id: id, text: draft.text, level: draft.level, version: version)
    }

    func update(
        _ id: String, _ draft: NoteDraft, at now: Date, in transaction: any StoreTransaction
    ) throws -> NotePayload {
        let version = try ChangeLog.stamp(.put, collection: name, id: id, at: now, in: transaction).version
        try transaction.execute(
            "UPDATE note SET text = \(draft.text), level = \(draft.level), version = \(version) WHERE id = \(id)")
        return NotePayload(id: id, text: draft.text, level: draft.level, version: version)
    }
}
