import Observation
import StrataConcurrency
public import StrataDomain
import StrataPresentation

extension Console {
    /// Shows a list and each change of it, until the task is cancelled: on a terminal as a table that changes in place; elsewhere
    /// a table, or with `--json` a line, for each change. Ends with the line of freshness.
    ///
    /// - Throws: `CommandFailure` with 130 when it is interrupted; an error that a later read cannot mend.
    public func follow<Content: Entity>(
        _ entities: EntityUseCases<Content>, _ query: EntityQuery<Content>, _ view: ListView<Stored<Content>>
    ) async throws {
        let model = await EntityListModel(entities, query)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await model.follow() }
            group.addTask { try await self.show(model, view, entities.names(in:)) }
            defer { group.cancelAll() }
            for try await _ in group {}
        }
        await shielded { await noteFreshness(entities) }
        throw CommandFailure(.interrupted)
    }

    /// Prints each state of the model that differs from the one before.
    @MainActor private func show<Content: Entity>(
        _ model: EntityListModel<Content>, _ view: ListView<Stored<Content>>,
        _ findNames: @Sendable ([Stored<Content>]) async -> ReferenceNames
    ) async throws {
        var block = LiveBlock(output)
        var names = ReferenceNames()
        var last: FollowedState<Content>?
        for await state in Observations({ FollowedState(model) }) where state != last {
            if let error = state.error, state.isFatal { throw error }
            var list = list(view)
            if list.isTable, let items = state.items, items != last?.items { names = await findNames(items) }
            if isInteractive, list.isTable {
                list.add(contentsOf: state.items ?? [])
                block.draw(ReferenceNames.$shown.withValue(names) { lines(state, list) })
            } else if let items = state.items, items != last?.items {
                list.add(contentsOf: items)
                try ReferenceNames.$shown.withValue(names) { try list.printRows() }
            }
            last = state
        }
    }

    private func lines<Content: Entity>(
        _ state: FollowedState<Content>, _ list: ListOutput<Stored<Content>>
    ) -> [String] {
        // The heading, the number of the others, the state and the cursor take a line each.
        let lines = state.items == nil ? [] : list.lines(room: max(1, (output.height ?? .max) - 4))
        let status = state.status(at: times.clock(clock.now))
        return lines + [Text(status, .dim).rendered(colored: outputColored)]
    }
}

/// What a followed list shows.
private struct FollowedState<Content: Entity>: Equatable, Sendable {
    /// `nil` before the first response.
    let items: [Stored<Content>]?
    let staleReason: String?
    let error: DomainError?
    let isOnline: Bool

    @MainActor init(_ model: EntityListModel<Content>) {
        items = model.origin == nil ? nil : model.items
        if case .stale(_, let reason) = model.origin { staleReason = reason } else { staleReason = nil }
        error = model.error
        isOnline = model.isOnline
    }

    /// Whether no later read can succeed.
    var isFatal: Bool { items == nil && error?.isOutage == false }

    func status(at time: String) -> String {
        let place = isOnline ? "online" : "offline"
        let reason = staleReason ?? error?.description
        var text = reason.map { "\(place), \(items == nil ? "nothing stored" : "not current"): \($0)" } ?? place
        if items == nil, reason == nil { text = "loading" }
        return SafeText.oneLine("\(time)  \(text)  (Ctrl-C ends)")
    }
}
