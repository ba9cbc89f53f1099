/// The rules of one REST API: what it can do, and what it does badly. The simulation runs each of them with its own seeds.
struct RESTRules: Sendable, CustomStringConvertible {
    enum Ids: Sendable {
        case server, client
        /// The value of the field `code` is the id.
        case naturalKey
    }

    enum Deltas: Sendable { case fullList, since, cursor }
    enum Deletions: Sendable { case absence, tombstoneField, feed }
    enum Precondition: Sendable { case ifMatch, compareFirst, none }
    enum Repeats: Sendable { case key, natural, lookUp }

    let name: String
    let ids: Ids
    let deltas: Deltas
    let deletions: Deletions
    let precondition: Precondition
    let repeats: Repeats
    /// Whether a second collection, tasks, refers to projects. Otherwise there are projects only.
    var hasTasks = false
    /// Whether the server accepts `If-Match` and does not compare it.
    var ignoresIfMatch = false
    /// Whether a list shows the row that changed last first, so that rows move between its pages.
    var listsNewestFirst = false
    /// Whether a list states the number of all rows, by which a cut list is seen.
    var statesTotal = true
    /// Whether the server keeps the key of the request that made a row, so that a look-up finds exactly this row. Otherwise a look-up
    /// compares the fields.
    var keepsReference = true
    /// Whether an update is a PUT of the whole row, and not a PATCH of the edited fields.
    var replacesRows = false
    /// Whether an update is answered with 204.
    var answersWithoutRow = false
    /// Whether a create is answered with the id alone.
    var answersCreatesWithIDs = false
    /// Whether a refusal by a precondition has the present row.
    var showsConflicts = false
    /// Whether a project with tasks cannot be deleted. Otherwise its tasks lose their project.
    var protectsParents = false
    /// Through the four closures of `CRUDRemote`; otherwise through a remote of our own.
    var usesClosures = false

    var description: String { name }
    var collections: [String] { hasTasks ? ["projects", "tasks"] : ["projects"] }

    /// Whether one local create can make two rows: the server gives the id, keeps no key, and a request may arrive after the look-up
    /// that did not find its row.
    var mayCreateTwice: Bool { ids == .server && repeats != .key }
    /// Whether a late copy of an update can take effect over a later one.
    var mayUpdateTwice: Bool { mayOverwrite && repeats != .key }
    /// Whether a late copy of a create, or a repeat of one, can make a row again that was deleted: nothing tells the server that it has
    /// had this create, and it does not refuse the id of a deleted row.
    var mayMakeAgain: Bool { repeats != .key && !(ids == .client && deletions == .tombstoneField) }
    /// Whether a write can replace a change that the device has not read: the server does not compare.
    var mayOverwrite: Bool { precondition != .ifMatch || ignoresIfMatch }

    /// In the order of the columns in `Docs/Guides/Offline-any-API.md`: made twice, made again, updated again, overwritten.
    var leavesOpen: [Bool] { [mayCreateTwice, mayMakeAgain, mayUpdateTwice, mayOverwrite] }

    /// Each case of each ability at least twice, and two collections with references in five.
    static let all = [
        RESTRules(
            name: "plain", ids: .server, deltas: .fullList, deletions: .absence, precondition: .none, repeats: .lookUp,
            hasTasks: true, replacesRows: true, usesClosures: true),
        RESTRules(
            name: "shifting-pages", ids: .server, deltas: .fullList, deletions: .absence, precondition: .ifMatch,
            repeats: .key, listsNewestFirst: true),
        RESTRules(
            name: "ignored-etags", ids: .server, deltas: .since, deletions: .tombstoneField, precondition: .ifMatch,
            repeats: .lookUp, hasTasks: true, ignoresIfMatch: true),
        RESTRules(
            name: "modern", ids: .server, deltas: .cursor, deletions: .feed, precondition: .ifMatch, repeats: .key,
            hasTasks: true, answersCreatesWithIDs: true, showsConflicts: true),
        RESTRules(
            name: "compared", ids: .server, deltas: .since, deletions: .tombstoneField, precondition: .compareFirst,
            repeats: .lookUp, hasTasks: true, keepsReference: false, answersWithoutRow: true, protectsParents: true),
        RESTRules(
            name: "client-ids", ids: .client, deltas: .cursor, deletions: .tombstoneField, precondition: .ifMatch,
            repeats: .natural, hasTasks: true),
        RESTRules(
            name: "client-ids-bare", ids: .client, deltas: .fullList, deletions: .absence, precondition: .none,
            repeats: .natural, usesClosures: true),
        RESTRules(
            name: "natural-keys", ids: .naturalKey, deltas: .fullList, deletions: .absence,
            precondition: .compareFirst, repeats: .natural, statesTotal: false),
        RESTRules(
            name: "natural-feed", ids: .naturalKey, deltas: .since, deletions: .feed, precondition: .ifMatch,
            repeats: .lookUp),
        RESTRules(
            name: "client-ids-since", ids: .client, deltas: .since, deletions: .feed, precondition: .none, repeats: .key
        ),
    ]
}
