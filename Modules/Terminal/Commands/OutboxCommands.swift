public import ArgumentParser
import StrataDomain

/// `outbox list`.
public struct OutboxListCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List writes that wait to be sent, oldest first.")

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        if console.isJSON {
            return try await console.jsonArray(of: OutboxView.init) { last in
                try await sync.outbox.entries(after: last?.mutation.clientSeq ?? 0, limit: 500)
            }
        }
        let entries = try await sync.outbox.entries()
        var table = Table([
            .init("ID", isWhole: true), .init("STATE"), .init("WRITE"), .init("ENTITY"),
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
    public static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one write.")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
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
                ("written", TimeText.point(mutation.at)), ("tries", "\(entry.attempts)"),
                ("next try", entry.nextAttemptAt.map(TimeText.point) ?? "at the next sync"),
                ("error", entry.error ?? "none"),
            ] + mutation.fields.sorted { $0.key < $1.key }.map { ("field \($0.key)", $0.value.shortText) })
    }
}

/// `outbox retry ID`.
public struct OutboxRetryCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send a write again at the next sync.")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        try await sync.outbox.retry(id)
        try console.confirm(id, "queued")
    }
}

/// `outbox discard ID`.
public struct OutboxDiscardCommand: SyncConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Give up a write and take its effect back here.")

    @Argument(help: "From 'outbox list'.")
    public var id: String
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        try await sync.outbox.discard(id)
        try console.confirm(id, "discarded")
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
