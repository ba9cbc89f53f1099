import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

/// A row of `conflicts list` and `conflicts export`.
struct ConflictRow: ListedRow {
    static let noun = "conflict"
    static let plural = "conflicts"
    static let path = "conflicts"
    static let listing = "List unresolved conflicts."
    static let columns: [ListColumn<ConflictRow>] = [
        .init(.init("COLLECTION")) { .init($0.conflict.collection) },
        .init(.id("ENTITY")) { .init($0.conflict.entityId) },
        .init(.init("FIELDS")) { .init($0.conflict.fields.joined(separator: ", ")) },
        .init(.time("SINCE")) { .init($0.conflict.createdAt) },
        .init(.init("REASON", isFlexible: true)) { .init($0.conflict.reason) },
    ]
    static func empty(_ scope: NoScope) -> String { "Nothing is in conflict." }
    static func freshness(_ sync: SyncTools, at now: Date) async -> String? { await sync.freshness(at: now) }

    let conflict: SyncConflict
    var listedId: String { conflict.id }
    var document: any Encodable { conflict }

    static func read(
        _ sync: SyncTools, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int, _ take: (ConflictRow) -> Void
    ) async throws -> Int? {
        let conflicts = try await sync.conflicts.conflicts()
        for conflict in conflicts { take(ConflictRow(conflict: conflict)) }
        return conflicts.count
    }
}

/// `conflicts show ID`.
struct ConflictShowCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "show", "Show base, local and remote state of a conflict.", example: "conflicts show 4d09be2")

    @OptionGroup var choice: ConflictChoice
    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let conflict = try await choice.conflict(in: sync.conflicts)
        try await console.paged { console in
            try console.show(conflict) {
                console.fields([
                    ("id", conflict.id), ("entity", "\(conflict.collection) \(conflict.entityId)"),
                    ("reason", conflict.reason), ("rule", Self.rule(of: conflict)),
                    ("since", console.times.point(conflict.createdAt)),
                ])
                console.out("")
                console.table(Self.sides(of: conflict), empty: "Both sides deleted it.")
                console.note(
                    "Settle it with '\(ProgramName.current) conflicts resolve \(conflict.id) --keep local|remote'.")
            }
        }
    }

    /// The rule that made the whole row a conflict.
    private static func rule(of conflict: SyncConflict) -> String {
        if conflict.local == nil { return "ask: deleted here, edited on the server" }
        if conflict.remote == nil { return "ask: edited here, deleted on the server" }
        return "ask: \(conflict.fields.count) of the fields, which both sides changed"
    }

    /// One row per field with its merge rule; conflicting fields are marked. Values are whole, because the difference may be at
    /// their end.
    static func sides(of conflict: SyncConflict) -> Table {
        var table = Table(
            [.init("FIELD")] + ["BASE", "LOCAL", "REMOTE"].map { .init($0, isFlexible: true).wrapped }
                + [.init("RULE").wrapped])
        let states = [conflict.base, conflict.local, conflict.remote]
        for field in Set(states.flatMap { ($0 ?? [:]).keys }).sorted() {
            let isDisputed = conflict.fields.contains(field)
            let values = states.map { state in
                Table.Cell(state.map { $0[field]?.shortText ?? "" } ?? "(gone)", isDisputed ? .yellow : .plain)
            }
            let rule = Table.Cell(rule(for: field, of: conflict))
            table.add([Table.Cell(isDisputed ? "* \(field)" : "  \(field)")] + values + [rule])
        }
        return table
    }

    /// The rule of the merge that applies to one field (O3 of the specification).
    private static func rule(for field: String, of conflict: SyncConflict) -> String {
        if conflict.fields.contains(field) { return "ask" }
        guard let local = conflict.local, let remote = conflict.remote else { return "goes with the row" }
        let (base, mine, theirs) = (
            conflict.base?[field] ?? .null, local[field] ?? .null, remote[field] ?? .null
        )
        if mine == theirs { return mine == base ? "unchanged" : "agreed" }
        if mine == base { return "server: changed there only" }
        if theirs == base { return "local: changed here only" }
        return "the collection's policy"
    }
}

/// `conflicts resolve ID --keep local|remote`.
struct ConflictResolveCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "resolve", "Resolve a conflict by keeping one side.", example: "conflicts resolve 4d09be2 --keep local")

    @OptionGroup var choice: ConflictChoice
    @Option(help: ArgumentHelp("The side to keep.", valueName: "side"))
    var keep: SyncConflict.Side
    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let conflict = try await choice.conflict(in: sync.conflicts)
        try await sync.conflicts.resolve(conflict.id, keeping: keep)
        try console.confirm(conflict.id, "resolved, kept \(keep.rawValue)")
    }
}
