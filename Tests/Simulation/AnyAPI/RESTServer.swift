import FoundationEssentials
import StrataDomain
import StrataTesting

/// A REST server by foreign rules, in memory, and the books by which the invariants judge the devices.
// Sendable proof: only the thread of the scheduler touches it.
final class RESTServer: @unchecked Sendable {
    /// A field of a row over its whole life. The field `""` says whether the row exists: "yes" or "no".
    struct Place: Hashable, Comparable {
        var collection: String
        var id: String
        var field: String

        static func < (left: Place, right: Place) -> Bool {
            (left.collection, left.id, left.field) < (right.collection, right.id, right.field)
        }
    }

    struct Stored {
        var row: RESTRow
        /// The number of its last change.
        var change: Int
        /// The number of its creation.
        var order: Int
        var ref: String?
    }

    /// The fields that clients write.
    static let fields = ["text", "mark", "code", "project"]

    let rules: RESTRules
    /// By collection and id. With deletions by absence and by a feed a deleted row is no longer here.
    private(set) var stored: [String: [String: Stored]] = [:]
    /// All values that each field has had, in order.
    private(set) var history: [Place: [String]] = [:]
    /// The rows in which each tag took effect.
    private(set) var effects: [String: Set<String>] = [:]
    /// The rows that were made by each create, by the tag of its text.
    private(set) var created: [String: [String]] = [:]
    /// The tag with which each row was made last, by collection and id.
    private(set) var origins: [String: String] = [:]
    /// The device that made each row first, by collection and id; none for a row of another client.
    private var owners: [String: String] = [:]
    /// Where the history of each field of the present row with a natural key begins.
    private var births: [Place: Int] = [:]
    /// Who changed each field last, and the number of that change.
    private var writers: [Place: (name: String, change: Int)] = [:]
    /// The tags in writes that were refused for good.
    private(set) var refused: Set<String> = []
    /// What clients did wrong.
    private(set) var broken: [String] = []
    /// Tags that a user decided to send again over another value.
    var decided: Set<String> = []
    var counts = RESTCounts()
    /// Of the server's clock, in milliseconds.
    var clockOffset: Int64 = 0
    /// The same, by as little as the overlap covers.
    var drift: Int64 = 0
    /// Cursors up to here are refused.
    private var oldestCursor = 0

    /// The last revision of each row, by collection and id. It goes on when a deleted row is made again: a tag never comes back
    /// (RFC 9110, section 8.8.1).
    private var revisions: [String: Int] = [:]
    private var deletions: [(collection: String, id: String, change: Int, at: Int64)] = []
    private var answers: [String: (write: String, response: RESTResponse)] = [:]
    /// The last request, in the order of sending, that made a row of each create.
    private var makers: [String: (number: Int, sentAt: Duration)] = [:]
    /// Rows that a copy of a request made, by collection and id.
    private var copies: Set<String> = []
    /// When each device last began to read a list.
    private var lists: [String: Duration] = [:]
    /// Requests with references to rows whose ids a client chose and had not sent yet, by that id.
    private var early: [String: String] = [:]
    private var refusedIDs: Set<String> = []
    /// When a look-up for a create last found nothing.
    private var vainLookups: [String: Duration] = [:]
    private(set) var changes = 0
    private var ids = 1000
    /// It gives the time and the random numbers.
    private unowned let run: Run

    init(_ rules: RESTRules, run: Run) {
        (self.rules, self.run) = (rules, run)
        for name in rules.collections { stored[name] = [:] }
    }

    func live(_ collection: String) -> [Stored] {
        (stored[collection] ?? [:]).values.filter { !$0.row.isDeleted }.sorted { $0.order < $1.order }
    }

    func liveRow(_ collection: String, _ id: String) -> Stored? {
        stored[collection]?[id].flatMap { $0.row.isDeleted ? nil : $0 }
    }

    func wasIssued(_ collection: String, _ id: String) -> Bool {
        history[Place(collection: collection, id: id, field: "")] != nil
    }

    func blame(_ sentence: String) { broken.append(sentence) }

    // MARK: - Requests

    func serve(_ request: RESTRequest) -> RESTResponse {
        var response = answer(to: request)
        (response.time, response.change) = (time, changes)
        return response
    }

    private func answer(to request: RESTRequest) -> RESTResponse {
        checkPath(request)
        switch request.method {
        case .list:
            if request.page == nil { lists[request.sender] = run.now }
            return list(request)
        case .get:
            guard let found = liveRow(request.collection, request.id ?? "") else { return missing(request) }
            return .row(found.row)
        case .find: return find(request)
        case .post, .put, .patch, .delete: return write(request)
        }
    }

    /// Ids and references that the server never gave.
    private func checkPath(_ request: RESTRequest) {
        if rules.ids == .server, let id = request.id, !wasIssued(request.collection, id) {
            blame("\(request.sender) sent the id '\(id)', which the server never gave: \(request.text)")
        }
        if let project = request.fields["project"]?.string, !wasIssued("projects", project) {
            switch rules.ids {
            case .client: early[project] = early[project] ?? "\(request.sender): \(request.text)"
            default:
                blame("\(request.sender) sent a reference to '\(project)', which the server never had: \(request.text)")
            }
        }
    }

    /// What a create has in all its requests: the tag of its text.
    private static func origin(_ request: RESTRequest) -> String? {
        request.fields["text"]?.string.flatMap { $0.contains("#") ? $0 : nil }
    }

    private func missing(_ request: RESTRequest) -> RESTResponse {
        let isKnown = stored[request.collection]?[request.id ?? ""] != nil
        return .refused(isKnown ? 410 : 404, "There is no such row.")
    }

    /// A look-up after an unknown outcome: by id, by the kept reference, or by content.
    private func find(_ request: RESTRequest) -> RESTResponse {
        counts.lookups += 1
        let candidates = live(request.collection).filter { candidate in
            if let id = request.id { return candidate.row.id == id }
            if rules.keepsReference, let ref = request.ref { return candidate.ref == ref }
            return request.fields.allSatisfy { candidate.row.fields[$0.key] ?? .null == $0.value }
        }
        if let origin = Self.origin(request) { vainLookups[origin] = candidates.isEmpty ? run.now : nil }
        return RESTResponse(status: 200, rows: candidates.prefix(1).map(\.row))
    }

    private func write(_ request: RESTRequest) -> RESTResponse {
        guard rules.repeats == .key, let key = request.key else { return checked(request) }
        let fingerprint = request.text
        if let known = answers[key] {
            if known.write != fingerprint {
                blame("\(request.sender) sent the key of '\(known.write)' with another write: \(fingerprint)")
                return .refused(422, "This key belongs to another request.")
            }
            counts.replays += 1
            return known.response
        }
        let response = checked(request)
        // What is refused may be corrected and sent again.
        if response.status < 300 { answers[key] = (fingerprint, response) }
        return response
    }

    private func checked(_ request: RESTRequest) -> RESTResponse {
        let response = effect(of: request)
        if (400..<500).contains(response.status), response.status != 401, response.status != 429 {
            refused.formUnion(RESTServer.tags(request.fields))
            refusedIDs.formUnion([request.id, request.fields["id"]?.string].compactMap(\.self))
        }
        return response
    }

    private func effect(of request: RESTRequest) -> RESTResponse {
        let (name, fields) = (request.collection, request.fields)
        checkOwner(request)
        if RESTServer.tags(fields).contains(where: { $0.hasSuffix("!") }) {
            return .refused(422, "This text is not accepted.")
        }
        if let project = fields["project"]?.string, liveRow("projects", project) == nil {
            return .refused(422, "There is no project \(project).")
        }
        if request.method == .post || request.id.map({ liveRow(name, $0) == nil }) == true && request.method == .put {
            return create(request)
        }
        guard let id = request.id, let old = liveRow(name, id) else { return missing(request) }
        if request.mustBeNew { return .refused(412, "There is such a row.") }
        if let expected = request.ifMatch, !rules.ignoresIfMatch, expected != old.row.tag {
            return .refused(412, "The row has changed.")
        }
        if request.method == .delete {
            if rules.protectsParents, name == "projects",
                live("tasks").contains(where: { $0.row.fields["project"]?.string == id })
            {
                return .refused(409, "Tasks belong to this project.")
            }
            noteOverwritten(old.row, by: nil, request)
            remove(name, id, by: request.sender)
            return RESTResponse(status: 204)
        }
        var next = old.row.fields
        for (field, value) in fields { next[field] = value }
        noteOverwritten(old.row, by: next, request)
        return .row(store(name, id, next, by: request))
    }

    private func create(_ request: RESTRequest) -> RESTResponse {
        let name = request.collection
        let id: String
        switch rules.ids {
        case .server:
            if request.method == .put { return missing(request) }
            ids += 1
            id = String(ids)
        case .client:
            guard let given = request.id ?? request.fields["id"]?.string else {
                return .refused(400, "There is no id.")
            }
            id = given
        case .naturalKey:
            guard let code = request.fields["code"]?.string ?? request.id else {
                return .refused(400, "There is no code.")
            }
            id = code
        }
        if let old = stored[name]?[id] {
            if !old.row.isDeleted { return .refused(409, "There is a row \(id).") }
            // A code may be used again, an id may not.
            if rules.ids == .client { return .refused(410, "The row \(id) was deleted.") }
        }
        noteCreation(request, id)
        return .row(store(name, id, request.fields, by: request), 201)
    }

    private func noteCreation(_ request: RESTRequest, _ id: String) {
        if let request = early[id], !refusedIDs.contains(id) {
            blame("A reference to \(id) was sent before this row: \(request)")
        }
        guard let origin = Self.origin(request) else { return }
        let maker = makers[origin]
        if request.number > maker?.number ?? 0 { makers[origin] = (request.number, request.sentAt) }
        let earlier = created[origin] ?? []
        created[origin, default: []].append(id)
        let row = "\(request.collection)/\(id)"
        // The network delivered a request twice, or late: no device sent it again.
        let isCopy = request.number <= maker?.number ?? 0
        if isCopy { copies.insert(row) }
        (origins[row], owners[row]) = (origin, owners[row] ?? request.sender)
        guard !earlier.isEmpty else { return }
        // A row of another device was made again by its own edit, which won over the deletion. A row of the network's making is none that the
        // device could know of when it makes its own again.
        let twins = earlier.filter {
            $0 != id && liveRow(request.collection, $0) != nil
                && owners["\(request.collection)/\($0)"] == request.sender
                && (isCopy || !copies.contains("\(request.collection)/\($0)"))
        }
        // Or the row of the network was deleted, and this one stands for it.
        let isAfterDeletion = earlier.contains { liveRow(request.collection, $0) == nil }
        let standsForCopy = isAfterDeletion && earlier.contains { copies.contains("\(request.collection)/\($0)") }
        // Or the device edited the row as it had fetched it, before it knew that the row is its own. The edit wins over the deletion.
        let isEdit = isAfterDeletion && RESTServer.tags(request.fields).contains { $0 != origin }
        guard !twins.isEmpty, isCopy || !standsForCopy && !isEdit else {
            counts.revived += 1
            // An edit may win over a deletion: that of a task by its merge policy, and that of a project because a user kept it.
            let isWanted =
                request.collection == "tasks" || !decided.isDisjoint(with: RESTServer.tags(request.fields))
            if !rules.mayMakeAgain, !isWanted {
                blame("\(request.sender) made '\(origin)' again, as \(id), after its deletion: \(request.text)")
            }
            return
        }
        counts.createdTwice += 1
        // Four closures look into the list.
        let look = rules.usesClosures ? lists[request.sender] : vainLookups[origin]
        let hasLooked = look.map { $0 >= maker?.sentAt ?? .zero } ?? false
        let sentence = "'\(origin)' was created twice, as \(twins.joined(separator: ", ")) and \(id)"
        if !rules.mayCreateTwice {
            blame(sentence)
        } else if !hasLooked, !isCopy {
            blame("\(sentence), without a look-up between")
        }
    }

    /// Ids that clients choose are never those of rows that others made.
    private func checkOwner(_ request: RESTRequest) {
        guard rules.ids == .client, request.method == .post || request.method == .put, request.base == nil,
            let id = request.id ?? request.fields["id"]?.string,
            history[Place(collection: request.collection, id: id, field: "")] == ["yes"]
        else { return }
        let owner = owners["\(request.collection)/\(id)"] ?? "another client"
        if owner != request.sender {
            blame("\(request.sender) makes a row under the id \(id) of a row that \(owner) made: \(request.text)")
        }
    }

    /// Counts the changes of other clients that a write replaces, although the device had not read them.
    ///
    /// - Parameter next: The fields after the write; `nil` for a deletion.
    private func noteOverwritten(_ old: RESTRow, by next: [String: JSONValue]?, _ request: RESTRequest) {
        for field in Self.fields {
            let value = old.fields[field]?.string ?? ""
            if let next, next[field]?.string ?? "" == value { continue }
            let place = Place(collection: request.collection, id: old.id, field: field)
            guard request.base?[field] != value, let writer = writers[place], writer.name != request.sender
            else { continue }
            counts.overwritten += 1
            let sentence =
                "\(request.sender) overwrote '\(value)' of \(writer.name) in \(field) of \(place.collection) \(old.id), which it had "
                + "not read, without a conflict: \(request.text)"
            if !rules.mayOverwrite { blame(sentence) }
            // A create is sent without a look.
            if rules.precondition == .compareFirst, !request.isCreate, writer.change <= request.lookedAt {
                blame("\(sentence). It had looked after that change")
            }
        }
    }

    // MARK: - Rows

    @discardableResult
    private func store(
        _ name: String, _ id: String, _ fields: [String: JSONValue], by request: RESTRequest?
    ) -> RESTRow {
        let old = stored[name]?[id]
        changes += 1
        var fields = fields
        // Written by the server alone.
        for own in ["id", "updated_at", "deleted"] { fields[own] = nil }
        fields["size"] = .integer(fields["text"]?.string?.count ?? 0)
        let row = RESTRow(id: id, fields: fields, revision: nextRevision(name, id), updatedAt: stamp())
        stored[name]?[id] = Stored(
            row: row, change: changes, order: old?.order ?? changes, ref: old?.ref ?? request?.ref)
        deletions.removeAll { $0.collection == name && $0.id == id }
        note(name, id, "", "yes", by: request)
        let isNew = old?.row.isDeleted ?? true
        for field in Self.fields { note(name, id, field, fields[field]?.string ?? "", by: request, isNew: isNew) }
        return row
    }

    private func nextRevision(_ name: String, _ id: String) -> Int {
        revisions["\(name)/\(id)", default: 0] += 1
        return revisions["\(name)/\(id)", default: 0]
    }

    private func remove(_ name: String, _ id: String, by sender: String) {
        guard var old = stored[name]?[id], !old.row.isDeleted else { return }
        changes += 1
        note(name, id, "", "no", by: nil)
        let at = stamp()
        if rules.deletions == .tombstoneField {
            old.row.isDeleted = true
            old.row.revision = nextRevision(name, id)
            old.row.updatedAt = at
            old.change = changes
            stored[name]?[id] = old
        } else {
            stored[name]?[id] = nil
            if rules.deletions == .feed { deletions.append((name, id, changes, at)) }
        }
        guard name == "projects" else { return }
        for task in live("tasks") where task.row.fields["project"]?.string == id {
            var fields = task.row.fields
            fields["project"] = .null
            store("tasks", task.row.id, fields, by: nil)
        }
    }

    /// - Parameter isNew: The row is made, or made again, which `noteCreation` judges.
    private func note(
        _ name: String, _ id: String, _ field: String, _ value: String, by request: RESTRequest?, isNew: Bool = false
    ) {
        let place = Place(collection: name, id: id, field: field)
        var values = history[place] ?? []
        let isTag = value.contains("#")
        if isTag { effects[value, default: []].insert(id) }
        guard values.last != value else { return }
        // A device cannot tell a row that was deleted from the one that others made under its key.
        if isNew, rules.ids == .naturalKey { births[place] = values.count }
        let isKnown = values.dropFirst(births[place] ?? 0).contains(value)
        if isTag, !isNew, isKnown, !decided.contains(value), let request {
            counts.updatedTwice += 1
            // The edits of tasks win by their merge policy, also a second time.
            if !rules.mayUpdateTwice, name != "tasks" {
                blame("\(request.sender): '\(value)' took effect again over '\(values.last ?? "")' in \(name) \(id)")
            }
        }
        values.append(value)
        history[place] = values
        writers[place] = (request?.sender ?? "another client", changes)
    }

    /// The server's clock, in milliseconds.
    var time: Int64 { 1_700_000_000_000 + run.now.milliseconds + clockOffset + drift }

    /// By the clock of one of three nodes, and cut to seconds.
    private func stamp() -> Int64 {
        let time = time + [Int64(-1500), 0, 1500][run.number(0..<3)]
        return time - time % 1000
    }

    /// The tags in a write.
    static func tags(_ fields: [String: JSONValue]) -> [String] {
        ["text", "mark"].compactMap { fields[$0]?.string }.filter { $0.contains("#") }
    }

    // MARK: - What others do

    /// - Returns: The id; `nil` when this row cannot be made.
    @discardableResult
    func putForeign(_ name: String, _ id: String?, _ fields: [String: JSONValue]) -> String? {
        if let id {
            guard let old = liveRow(name, id) else { return nil }
            store(name, id, old.row.fields.merging(fields) { $1 }, by: nil)
            return id
        }
        ids += 1
        let made = rules.ids == .naturalKey ? fields["code"]?.string ?? "f\(ids)" : String(ids)
        if stored[name]?[made] != nil { return nil }
        store(name, made, fields, by: nil)
        return made
    }

    func removeForeign(_ name: String, _ id: String) { remove(name, id, by: "other") }

    /// Another client gives a row a time that is a day ahead.
    func postdate(_ name: String, _ id: String) {
        guard let old = liveRow(name, id) else { return }
        store(name, id, old.row.fields, by: nil)
        stored[name]?[id]?.row.updatedAt += 86_400_000
    }

    /// Earlier cursors are refused from now on.
    func forgetLog() { oldestCursor = changes }
}

/// What can happen where the abilities of the API do not prevent it. `Docs/Guides/Offline-any-API.md` explains each.
struct RESTCounts: Sendable {
    var createdTwice = 0
    /// A create that made its row again after the deletion: a late copy, or an edit that won over the deletion.
    var revived = 0
    /// A value that took effect again over a later one: a late copy, or an edit that is merged by `.lastEdit`.
    var updatedTwice = 0
    /// A change of another client that a write replaced or deleted, although the device had not read it, and without a conflict.
    var overwritten = 0
    var lookups = 0
    var replays = 0

    mutating func add(_ other: RESTCounts) {
        createdTwice += other.createdTwice
        revived += other.revived
        updatedTwice += other.updatedTwice
        overwritten += other.overwritten
        lookups += other.lookups
        replays += other.replays
    }

    var text: String {
        "created twice \(createdTwice), made again after a deletion \(revived), updated again by a late copy \(updatedTwice)"
            + ", overwritten without a word \(overwritten); look-ups \(lookups), replays \(replays)"
    }
}

extension RESTServer {
    // MARK: - Lists

    static let pageSize = 3

    func list(_ request: RESTRequest) -> RESTResponse {
        switch rules.deltas {
        case .fullList: fullList(request)
        case .since: changedSince(request)
        case .cursor: changeLog(request)
        }
    }

    /// By offset: rows that come, go or move between two pages are missed or shown twice.
    private func fullList(_ request: RESTRequest) -> RESTResponse {
        var all = live(request.collection)
        if rules.listsNewestFirst { all.sort { $0.change > $1.change } }
        let offset = request.page.flatMap { Int($0) } ?? 0
        let page = all.dropFirst(offset).prefix(Self.pageSize)
        var response = RESTResponse(status: 200, rows: page.map(\.row))
        response.total = rules.statesTotal ? all.count : nil
        if offset + page.count < all.count, !page.isEmpty { response.next = String(offset + page.count) }
        return response
    }

    /// In the order of the server's clock. A page begins behind the last row of the one before.
    private func changedSince(_ request: RESTRequest) -> RESTResponse {
        let since = request.from.flatMap { Int64($0) } ?? 0
        var all = Array((stored[request.collection] ?? [:]).values)
            .filter { $0.row.updatedAt >= since }
            .sorted { ($0.row.updatedAt, $0.row.id) < ($1.row.updatedAt, $1.row.id) }
        if request.from == nil { all.removeAll(where: \.row.isDeleted) }
        if let mark = request.page?.split(separator: "/"), mark.count == 2, let time = Int64(mark[0]) {
            all.removeAll { ($0.row.updatedAt, $0.row.id) <= (time, String(mark[1])) }
        }
        let page = all.prefix(Self.pageSize)
        var response = RESTResponse(status: 200, rows: page.map(\.row))
        if all.count > page.count, let last = page.last { response.next = "\(last.row.updatedAt)/\(last.row.id)" }
        if response.next == nil, rules.deletions == .feed {
            response.deleted = deletions.filter { $0.collection == request.collection && $0.at >= since }.map(\.id)
        }
        return response
    }

    private func changeLog(_ request: RESTRequest) -> RESTResponse {
        let cursor = (request.page ?? request.from).flatMap { Int($0) } ?? 0
        let isFirst = request.page == nil && request.from == nil
        // The pages of a list from the beginning do not expire: it would never end.
        if request.from != nil, cursor < oldestCursor { return .refused(410, "This cursor has expired.") }
        var all = Array((stored[request.collection] ?? [:]).values).filter { $0.change > cursor }
            .map { (change: $0.change, row: RESTRow?.some($0.row), id: $0.row.id) }
        if isFirst { all.removeAll { $0.row?.isDeleted == true } }
        if rules.deletions == .feed, !isFirst {
            all += deletions.filter { $0.collection == request.collection && $0.change > cursor }
                .map { (change: $0.change, row: nil, id: $0.id) }
        }
        all.sort { $0.change < $1.change }
        let page = all.prefix(Self.pageSize)
        var response = RESTResponse(status: 200, rows: page.compactMap(\.row))
        response.deleted = page.filter { $0.row == nil }.map(\.id)
        let end = all.count > page.count ? page.last?.change ?? cursor : max(changes, cursor)
        response.checkpoint = String(end)
        if all.count > page.count { response.next = String(end) }
        return response
    }
}
