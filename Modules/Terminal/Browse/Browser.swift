import FoundationEssentials
import Observation
import StrataDomain
import StrataPresentation

/// `browse`: a list on a whole screen, driven by keys and by the changes of the list.
///
/// What is shown and what a key means is `BrowseState`; here are the entities, the terminal and the time.
@MainActor final class Browser<View: EntityView> {
    typealias Content = View.Content

    let entities: EntityUseCases<Content>
    let console: Console
    let model: EntityListModel<Content>
    let form: EntityForm<Content>
    var state: BrowseState
    /// The rows of the window, by their place.
    private var items: [Stored<Content>] = []
    private var names = ReferenceNames()
    private let screen: any FullScreen
    private let clock: any Clock<Duration>
    private var painter: ScreenPainter
    private var decoder = KeyDecoder()
    /// Whether the server is asked because of a key.
    var isAsking = false
    /// Pieces of input so far.
    private var inputs = 0
    /// The filters of the list that is read, and their query.
    private var filtered: (texts: [String: String], query: EntityQuery<Content>) = ([:], EntityQuery())
    private var counting: Task<Void, Never>?
    private var reading: Task<Void, Never>?
    private let (events, tell) = AsyncStream.makeStream(of: Event.self)

    private enum Event: Sendable {
        case terminal(TerminalEvent)
        /// Something that is shown has changed.
        case changed
        /// No byte came after the input with this number.
        case quiet(Int)
    }

    /// - Parameter clock: Measures the pauses; the wall clock is that of the console.
    init(
        _ entities: EntityUseCases<Content>, _ console: Console, on screen: any FullScreen,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.entities, self.console, self.screen, self.clock) = (entities, console, screen, clock)
        model = EntityListModel(entities)
        model.window = 0..<BrowseRows.windowSize
        form = EntityForm(times: console.times, clock: console.clock)
        painter = ScreenPainter(colored: console.outputColored)
        let abilities = BrowseState.Abilities(
            plural: Content.plural, noun: Content.noun, hasSearch: Content.fields.contains(where: \.isSearchable),
            hasFilters: Content.fields.contains { $0.isFilterable || $0.lowerBoundName != nil })
        state = BrowseState(abilities, times: console.times, now: console.clock.now)
    }

    /// Shows the list until the user leaves it. The terminal is as before then, also after an error.
    ///
    /// - Throws: `CommandFailure` where the screen is no terminal, and with 130 when it is interrupted or the terminal is gone.
    func run() async throws {
        try screen.enter()
        defer { screen.leave() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                counting?.cancel()
                reading?.cancel()
                group.cancelAll()
            }
            state.size = screen.size
            draw()
            load()
            group.addTask { await self.forwardTerminal() }
            group.addTask { await self.followModel() }
            group.addTask { await self.showModel() }
            group.addTask { await self.keepTime() }
            for await event in events {
                let actions = try handle(event)
                for action in actions {
                    switch action {
                    case .quit:
                        // Before what is still read or sent is waited for.
                        screen.leave()
                        return
                    case .suspend: screen.stop()
                    case .redraw: painter.reset()
                    case .query: load()
                    default: group.addTask { await self.perform(action) }
                    }
                }
                if decoder.isWaiting { group.addTask { [inputs] in await self.waitForBytes(after: inputs) } }
                draw()
            }
            screen.leave()
            throw CommandFailure(.interrupted)
        }
    }

    // MARK: - Events

    private func forwardTerminal() async {
        for await event in screen.events() { tell.yield(.terminal(event)) }
    }

    private func handle(_ event: Event) throws -> [BrowseAction] {
        switch event {
        case .terminal(.input(let bytes)):
            inputs += 1
            return decoder.keys(in: bytes).flatMap { handle($0) }
        case .quiet(let input): return input == inputs ? decoder.flush().flatMap { handle($0) } : []
        case .terminal(.resized):
            state.size = screen.size
            return [.redraw]
        case .terminal(.suspended): return [.suspend]
        case .terminal(.resumed):
            try screen.enter()
            state.size = screen.size
            return [.redraw]
        case .terminal(.ended): throw CommandFailure(.interrupted)
        case .changed: return []
        }
    }

    private func handle(_ key: Key) -> [BrowseAction] {
        let actions = state.handle(key)
        // A key that follows in the same input is about the row where this one went.
        updateDetails()
        return actions
    }

    /// A key that begins with an escape byte comes in one piece, or nearly so.
    private func waitForBytes(after input: Int) async {
        try? await clock.sleep(for: .milliseconds(40))
        tell.yield(.quiet(input))
    }

    /// Ages are drawn again, and counts are read again. No change of the list tells that the first synchronisation has ended.
    private func keepTime() async {
        while !Task.isCancelled {
            await updateFreshness()
            tell.yield(.changed)
            try? await clock.sleep(for: .seconds(state.firstStep == nil ? 10 : 1))
        }
    }

    private func draw() {
        state.now = console.clock.now
        let drawing = painter.drawing(of: state.screen())
        screen.draw(drawing)
        guard let wanted = state.rows.wanted(height: state.listHeight), wanted != model.window else { return }
        model.window = wanted
        model.begin()
    }

    func changed() { tell.yield(.changed) }

    // MARK: - The list

    /// Reads the list of the search and the filters.
    private func load() {
        // Names in filters were ids when the filters were set.
        guard state.filters != filtered.texts else {
            var query = filtered.query
            query.search = state.search.isEmpty ? nil : state.search
            return load(query)
        }
        do throws(DomainError) { load(try form.query(search: state.search, state.filters)) } catch {
            state.message = .failure(error.description)
        }
    }

    /// Reads the list of `query`, which is that of the state, from its beginning.
    func load(_ query: EntityQuery<Content>) {
        filtered = (state.filters, query)
        state.rows.restart()
        model.window = 0..<BrowseRows.windowSize
        model.query = query
        model.begin()
        count(query)
    }

    /// Counts the list. An earlier count is given up.
    private func count(_ query: EntityQuery<Content>) {
        counting?.cancel()
        counting = Task {
            let count = try? await entities.count(query)
            guard !Task.isCancelled, query == model.query else { return }
            state.rows.count(count)
            changed()
        }
    }

    private func followModel() async {
        do { try await model.follow() } catch {
            state.trouble = "\(error)"
            changed()
            // Without what failed beside it, the list still follows its changes.
            for await _ in entities.changes(of: model.query) { model.begin() }
        }
    }

    private func showModel() async {
        var last: [Stored<Content>]?
        for await shown in Observations({ [model] in Shown(model) }) {
            if shown.items != last {
                names = await entities.names(in: shown.items)
                last = shown.items
            }
            // A newer state may be there by now, and comes next.
            show(shown)
            changed()
            await updateFreshness()
            changed()
        }
    }

    private func show(_ shown: Shown) {
        state.isLoading = shown.isLoading
        state.trouble = shown.error.map { "\(state.rows.isEmpty ? "" : "Not current: ")\($0.description)" }
        if let reason = shown.staleReason { state.trouble = "Not current: \(reason)" }
        if shown.isKnown, shown.items != items || shown.start != state.rows.start || state.rows.isEmpty {
            items = shown.items
            let table = ReferenceNames.$shown.withValue(names) { View.table(items) }
            state.rows.show(items.map(\.id.rawValue), from: shown.start, table)
            count(model.query)
        }
        updateDetails(isForced: true)
    }

    /// The item under the cursor; `nil` while it is not here.
    var selected: Stored<Content>? {
        let place = state.rows.selected - state.rows.start
        return items.indices.contains(place) ? items[place] : nil
    }

    /// - Parameter isForced: Also when the cursor has not moved.
    private func updateDetails(isForced: Bool = false) {
        state.hasConflict = selected?.syncState == .conflicted
        guard let item = selected else {
            state.details = nil
            state.isReading = false
            return
        }
        let isSame = state.details?.id == item.id.rawValue
        guard isForced || !isSame else { return }
        let lines = ReferenceNames.$shown.withValue(names) {
            EntityLines(item, console.times, withState: entities.upkeep.status != nil)
        }
        state.details = BrowseDetails(id: item.id.rawValue, lines).replacing(state.details)
        if !isSame { readOthers(of: item.id.rawValue) }
    }

    /// Reads what belongs to the entity under the cursor again.
    func readOthersAgain() {
        if let id = state.details?.id { readOthers(of: id) }
    }

    /// What belongs to the entity, once the cursor has stayed on it for a moment.
    private func readOthers(of id: String) {
        reading?.cancel()
        guard let read = entities.upkeep.details else { return }
        state.details?.others = nil
        reading = Task { [clock] in
            guard (try? await clock.sleep(for: .milliseconds(200))) != nil else { return }
            let others: [EntityDetail]
            do throws(DomainError) { others = try await read(id) } catch {
                others = [EntityDetail("", [error.description])]
            }
            guard !Task.isCancelled, state.details?.id == id else { return }
            state.details?.others = others
            changed()
        }
    }

    func updateFreshness() async {
        guard let read = entities.upkeep.status else {
            state.freshness = model.origin?.note(at: console.clock.now) ?? "current"
            return
        }
        guard let status = try? await read() else { return }
        state.firstStep = status.firstStep
        state.freshness =
            status.freshness(at: console.clock.now) + (model.isOnline ? "" : " · offline")
    }

    /// What the model shows, as far as a screen depends on it.
    private struct Shown: Sendable {
        let items: [Stored<Content>]
        let start: Int
        /// Whether the items are the list's, which may be empty.
        let isKnown: Bool
        let isLoading: Bool
        let staleReason: String?
        let error: DomainError?

        @MainActor init(_ model: EntityListModel<Content>) {
            (items, start, isKnown) = (model.items, model.start, model.origin != nil)
            isLoading = model.isLoading || model.origin == nil && model.error == nil
            if case .stale(_, let reason) = model.origin { staleReason = reason } else { staleReason = nil }
            error = model.error
            _ = model.isOnline
        }
    }
}
