import FoundationEssentials

extension CRUDRemote {
    public func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage {
        let observed = ObservedClient(client, adding: ["Cache-Control": "no-cache"])
        let list = try await answer { try await self.list(point, observed) }
        let time = await observed.date
        var page = PullPage(
            rows: [], deleted: list.deleted, next: list.next, checkpoint: list.checkpoint, serverTime: time)
        for item in list.rows {
            let row = try row(item)
            if isTombstone(item) { page.deleted.append(row.id) } else { page.rows.append(row) }
        }
        return page
    }

    public func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome {
        let observed = ObservedClient(client, for: write, abilities)
        let stored: Remote<Content>?
        switch (write.operation, write.remoteID) {
        case (.create, let id):
            let content = try content(of: write)
            stored = try await answer { try await create(id ?? RemoteID(""), content, observed) }
        case (_, nil): throw NetworkError(.invalidRequest("the row has no id at the server"))
        case (.update, let id?):
            if let updateFields {
                stored = try await answer { try await updateFields(id, write.changes, observed) }
            } else {
                let content = try content(of: write)
                stored = try await answer { try await update(id, content, observed) }
            }
        case (.delete, let id?):
            try await answer { try await delete(id, observed) }
            return .accepted()
        }
        guard let stored else { return .accepted(write.remoteID) }
        // A part of the row, such as its id, or words about the write: not the row.
        guard stored.content != nil else {
            return .accepted(stored.id ?? RemoteID(stored.members[names.id]) ?? write.remoteID)
        }
        var row = try row(stored, id: write.operation == .update ? write.remoteID : nil)
        let tag = await observed.entityTag
        row.entityTag = row.entityTag ?? tag
        return .stored(row)
    }

    public func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow] {
        switch search {
        case .row(let id):
            guard let get else { return try await listed(client) { $0.id == id } }
            let observed = ObservedClient(client, adding: ["Cache-Control": "no-cache"])
            do {
                let item = try await answer { try await get(id, observed) }
                if isTombstone(item) { return [] }
                var row = try row(item, id: id)
                let tag = await observed.entityTag
                row.entityTag = row.entityTag ?? tag
                return [row]
            } catch  where !error.isForeign && !error.isFromRefresh {
                switch error.kind {
                case .notFound, .status(410, _): return []
                default: throw error
                }
            }
        case .made(let write):
            if let id = write.remoteID { return try await find(.row(id), with: client) }
            return try await listed(client) { matches($0, write) }
        }
    }

    /// Whether a row may be what `write` made: of its key, or with its fields. The server may have filled in fields that it lacks.
    private func matches(_ row: RemoteRow, _ write: RemoteWrite) -> Bool {
        let sent = write.fields.filter { $0.value != .null }
        if case .naturalKey(let key) = abilities.ids {
            return key.allSatisfy { row.fields[$0] ?? .null == sent[$0] ?? .null }
        }
        return sent.allSatisfy { name, value in row.fields[name] == value }
    }

    /// The rows of the list that fit. A list of several pages is read twice before none is the answer: a row may move between its pages.
    private func listed(
        _ client: any APIClient, _ fits: (RemoteRow) -> Bool
    ) async throws(NetworkError) -> [RemoteRow] {
        for isLast in [false, true] {
            var (found, point, pages) = ([RemoteRow](), PullPoint(.everything), Set<String>())
            while true {
                let page = try await pull(point, with: client)
                found += page.rows.filter(fits)
                guard let next = page.next else { break }
                guard pages.insert(next).inserted else {
                    throw NetworkError(.invalidResponse("the list does not end: page '\(next)' comes again"))
                }
                point.page = next
            }
            if isLast || !found.isEmpty || pages.isEmpty { return found }
        }
        return []
    }

    /// Any error of a closure as the error of a call.
    private func answer<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws(NetworkError) -> Value {
        do { return try await body() } catch { throw NetworkError(thrown: error) }
    }

    private func content(of write: RemoteWrite) throws(NetworkError) -> Content {
        do { return try Content(wireFields: write.fields) } catch {
            throw NetworkError(.invalidRequest("the fields make no \(Content.noun): \(error)"))
        }
    }

    private func isTombstone(_ item: Remote<Content>) -> Bool {
        guard case .tombstoneField(let name) = abilities.deletions, let value = item.members[name] else { return false }
        return value != .null && value != .bool(false)
    }

    /// - Parameter id: That of the request, for a response without one.
    private func row(_ item: Remote<Content>, id: RemoteID? = nil) throws(NetworkError) -> RemoteRow {
        guard let id = item.id ?? RemoteID(item.members[names.id]) ?? id else {
            throw NetworkError(
                .invalidResponse("a \(Content.noun) has no '\(names.id)'; state the member with the id as 'id:'"))
        }
        var modifiedAt = item.modifiedAt
        if case .since(let field, _) = abilities.deltas, modifiedAt == nil {
            modifiedAt = RemoteTime.date(item.members[field])
        }
        let fields: [String: JSONValue]
        do { fields = try item.content?.wireFields() ?? item.members } catch {
            throw NetworkError(.invalidResponse("a \(Content.noun) cannot be stored: \(error)"))
        }
        return RemoteRow(
            id: id, revision: item.revision ?? names.revision.flatMap { item.members[$0]?.text },
            entityTag: item.entityTag, modifiedAt: modifiedAt, fields: fields)
    }
}

extension JSONValue {
    /// A scalar as a text; `nil` for `null`, an array and an object.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

/// Times of an API.
enum RemoteTime {
    /// RFC 3339, the same without a zone as UTC, or a number of seconds or milliseconds since 1970.
    static func date(_ value: JSONValue?) -> Date? {
        switch value {
        case .string(let text): RFC3339.date(from: text) ?? RFC3339.date(from: text + "Z")
        case .integer(let number): date(seconds: Double(number))
        case .number(let number): date(seconds: number)
        default: nil
        }
    }

    /// Seconds reach 10¹¹ in the year 5138.
    private static func date(seconds number: Double) -> Date? {
        guard number.isFinite else { return nil }
        return Date(timeIntervalSince1970: abs(number) < 1e11 ? number : number / 1000)
    }
}
