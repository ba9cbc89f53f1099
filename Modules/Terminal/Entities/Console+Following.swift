import Observation
public import StrataDomain
import StrataPresentation

extension Console {
    /// Shows a list and each change of it, until the task is cancelled: on a terminal as a table that changes in place; elsewhere
    /// a table, or with `--json` a line, for each change.
    ///
    /// - Throws: `CommandFailure` with 130 when it is interrupted; an error that a later read cannot mend.
    public func follow<Content: Entity>(
        _ entities: EntityUseCases<Content>, _ query: EntityQuery<Content>, _ view: ListView<Stored<Content>>
    ) async throws {
        let model = await EntityListModel(entities, query)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await model.follow() }
            group.addTask { try await self.show(model, view) }
            defer { group.cancelAll() }
            for try await _ in group {}
        }
        throw CommandFailure(.interrupted)
    }

    /// Prints each state of the model that differs from the one before.
    @MainActor private func show<Content: Entity>(
        _ model: EntityListModel<Content>, _ view: ListView<Stored<Content>>
    ) async throws {
        var block = LiveBlock(output)
        var last: FollowedState<Content>?
        for await state in Observations({ FollowedState(model) }) where state != last {
            if let error = state.error, state.isFatal { throw error }
            if isInteractive, !isJSON {
                block.draw(lines(state, view))
            } else if let items = state.items, items != last?.items {
                try list(Array(items.prefix(view.rows)), view)
            }
            last = state
        }
    }

    private func lines<Content: Entity>(
        _ state: FollowedState<Content>, _ view: ListView<Stored<Content>>
    ) -> [String] {
        var lines: [String] = []
        if let items = state.items {
            // Room for the heading, the number of the others and the state, and for the cursor.
            let room = max(1, (output.height ?? .max) - 4)
            let shown = Array(items.prefix(min(view.rows, room)))
            lines =
                shown.isEmpty
                ? [Text(view.empty, .dim).rendered(colored: outputColored)]
                : view.table(shown).lines(
                    width: output.width, colored: outputColored, times: times, now: clock.now)
            if shown.count < items.count { lines.append("… \(QuantityText.count(items.count - shown.count)) more") }
        }
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
