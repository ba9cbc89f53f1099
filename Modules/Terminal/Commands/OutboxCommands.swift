public import ArgumentParser
import StrataDomain

/// `outbox list`.
public struct OutboxListCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List writes that wait to be sent, oldest first.",
        discussion: "Example: \(ProgramName.current) outbox list --limit 200")

    @OptionGroup public var limit: ListLimit
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        let all = try await sync.outbox.entries()
        // A program that looks after the queue needs all of it.
        if console.isJSON { return try console.json(all.map(OutboxView.init)) }
        let entries = all.prefix(limit.limit)
        defer { console.noteCut(shown: entries.count, of: all.count) }
        var table = Table([
            .id("ID"), .init("STATE"), .init("WRITE"), .id("ENTITY"),
            .init("TRIES", isRightAligned: true),
            .init("ERROR", isFlexible: true),
        ])
        for entry in entries {
            table.add([
                Cell(entry.id), Cell(entry.state.rawValue, entry.state.style),
                Cell("\(entry.mutation.operation.rawValue) \(entry.mutation.collection)"),
                Cell(entry.mutation.entityId), Cell("\(entry.attempts)"), Cell(entry.error ?? ""),
            ])
        }
        console.table(table, empty: "Nothing waits to be sent.")
    }

    private typealias Cell = Table.Cell
}

/// `outbox show ID`.
public struct OutboxShowCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one write.",
        discussion: "Example: \(ProgramName.current) outbox show 7c31f0a")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await sync.outbox.completed(id)
        guard let entry = try await sync.outbox.entries().first(where: { $0.id == id }) else {
            throw DomainError.notFound(
                "Nothing in the outbox has the id '\(id)'; '\(ProgramName.current) outbox list' shows the ids.")
        }
        if console.isJSON { return try console.json(OutboxView(entry)) }
        let mutation = entry.mutation
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

/// `outbox retry ID`.
public struct OutboxRetryCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send a write again at the next sync.",
        discussion: "Example: \(ProgramName.current) outbox retry 7c31f0a")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await sync.outbox.completed(id)
        try await sync.outbox.retry(id)
        try console.confirm(id, "queued")
    }
}

/// `outbox discard ID`.
public struct OutboxDiscardCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Give up a write and take its effect back here.",
        discussion: "Example: \(ProgramName.current) outbox discard 7c31f0a")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        let id = try await sync.outbox.completed(id)
        try await sync.outbox.discard(id)
        try console.confirm(id, "discarded")
    }
}

extension Outbox {
    fileprivate func completed(_ id: Mutation.ID) async throws -> Mutation.ID {
        try await IDCompletion.completed(id) { try await ids(with: $0) }
    }
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
