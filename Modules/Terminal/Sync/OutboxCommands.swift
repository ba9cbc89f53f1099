import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

/// A row of `outbox list` and `outbox export`.
struct OutboxRow: ListedRow {
    static let noun = "unsent write"
    static let plural = "unsent writes"
    static let path = "outbox"
    static let listing = "List unsent writes, oldest first."
    static let columns: [ListColumn<OutboxRow>] = [
        .init(.init("STATE")) { .init($0.entry.state.rawValue, $0.entry.state.style) },
        .init(.init("WRITE")) { .init("\($0.entry.mutation.operation.rawValue) \($0.entry.mutation.collection)") },
        .init(.id("ENTITY")) { .init($0.entry.mutation.entityId) },
        .init(.init("TRIES", isRightAligned: true)) { .init("\($0.entry.attempts)") },
        .init(.init("ERROR", isFlexible: true)) { .init($0.entry.error ?? "") },
    ]
    static func empty(_ scope: NoScope) -> String { "Nothing waits to be sent." }
    static func freshness(_ sync: SyncTools, at now: Date) async -> String? { await sync.freshness(at: now) }

    let entry: OutboxEntry
    var listedId: String { entry.id }
    var document: any Encodable { entry.document }

    /// The queue may be too long to count, or for the memory.
    static func read(
        _ sync: SyncTools, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int, _ take: (OutboxRow) -> Void
    ) async throws -> Int? {
        var (last, left) = (0, limit < .max ? limit + 1 : .max)
        while left > 0 {
            let page = try await sync.outbox.entries(after: last, limit: min(500, left))
            guard let end = page.last else { break }
            for entry in page { take(OutboxRow(entry: entry)) }
            (last, left) = (end.mutation.clientSeq, left - page.count)
        }
        return nil
    }
}

/// `outbox show ID`.
struct OutboxShowCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "show", "Show an unsent write.", example: "outbox show 7c31f0a")

    @OptionGroup var choice: OutboxChoice
    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await choice.id(in: sync.outbox)
        guard let entry = try await sync.outbox.entries().first(where: { $0.id == id }) else {
            throw DomainError.notFound(
                "Nothing in the outbox has the id '\(id)'; '\(ProgramName.current) outbox list' shows the ids.")
        }
        let mutation = entry.mutation
        try await console.paged { console in
            try console.show(entry.document) {
                console.fields(
                    [
                        ("id", entry.id), ("state", entry.state.rawValue),
                        ("write", "\(mutation.operation.rawValue) \(mutation.collection) \(mutation.entityId)"),
                        ("written", console.times.point(mutation.at)), ("tries", "\(entry.attempts)"),
                        ("next try", entry.nextAttemptAt.map(console.times.point) ?? "at the next sync"),
                        ("error", entry.error ?? "none"),
                    ] + mutation.fields.sorted { $0.key < $1.key }.map { ("field \($0.key)", $0.value.shortText) })
            }
        }
    }
}

/// `outbox retry ID`.
struct OutboxRetryCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "retry", "Send a rejected write again at the next synchronisation.", example: "outbox retry 7c31f0a")

    @OptionGroup var choice: OutboxChoice
    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await choice.id(in: sync.outbox)
        try await sync.outbox.retry(id)
        try console.confirm(id, "queued")
    }
}

/// `outbox discard ID`.
struct OutboxDiscardCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "discard", "Discard an unsent write and undo its local effect.", example: "outbox discard 7c31f0a")

    @OptionGroup var choice: OutboxChoice
    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await choice.id(in: sync.outbox)
        try await sync.outbox.discard(id)
        try console.confirm(id, "discarded")
    }
}

/// The unsent write that a command is about.
struct OutboxChoice: ParsableArguments {
    @Argument(help: "From 'outbox list'.", completion: .candidates(.outbox)) var id: String

    /// The complete id of a part of one.
    func id(in outbox: any Outbox) async throws -> Mutation.ID {
        try await IDCompletion.completed(id) { try await outbox.ids(with: $0) }
    }
}

extension OutboxEntry {
    fileprivate var document: JSONDocument {
        [
            "id": id, "state": state.rawValue, "operation": mutation.operation.rawValue,
            "collection": mutation.collection, "entity_id": mutation.entityId, "base_version": mutation.baseVersion,
            "fields": mutation.fields, "at": mutation.at, "attempts": attempts, "next_attempt_at": nextAttemptAt,
            "error": error,
        ]
    }
}

extension JSONValue {
    /// Strings unchanged, other values as JSON.
    var shortText: String { string ?? (try? safeJSON(self)) ?? "?" }
}

extension OutboxEntry.State {
    fileprivate var style: TextStyle {
        switch self {
        case .pending, .inflight: .plain
        case .conflicted: .yellow
        case .rejected: .red
        }
    }
}
