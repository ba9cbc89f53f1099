import FoundationEssentials
import StrataDomain

/// What `browse` shows, and what each key does: without a terminal and without the entities.
struct BrowseState: Sendable {
    enum Mode: Sendable {
        case list
        /// - Parameter before: The search that escape restores.
        case search(LineEditor, before: String)
        case form(BrowseForm)
        case conflict(BrowseConflict)
        case help
        indirect case question(String, yes: BrowseAction, no: Mode)
    }

    /// What the entity has.
    struct Abilities: Sendable {
        var plural: String
        var noun: String
        var hasSearch = true
        var hasFilters = true
    }

    enum Message: Sendable, Hashable {
        case note(String)
        case failure(String)
    }

    let abilities: Abilities
    var rows = BrowseRows()
    var mode = Mode.list
    /// Whether the details have the keys, and on a narrow screen the place of the list.
    var isReading = false
    /// Whether the row under the cursor has a conflict to settle.
    var hasConflict = false
    /// The first line that is shown of the keys, or of a conflict.
    var panelTop = 0
    var details: BrowseDetails?
    var search = ""
    /// The texts of the filters, by the names that `BrowseForm.Field` has; without empty ones.
    var filters: [String: String] = [:]
    /// The outcome of the last action; a key takes it away.
    var message: Message?
    /// Why the list is not current, or cannot be read.
    var trouble: String?
    /// `3 unsent · synced 2 min ago`.
    var freshness = ""
    /// What an empty list says about the server; `nil` after the first synchronisation.
    var firstStep: String?
    var isLoading = true
    var size = ScreenSize()
    let times: TimeText
    var now: Date

    init(_ abilities: Abilities, times: TimeText, now: Date) {
        (self.abilities, self.times, self.now) = (abilities, times, now)
    }

    /// Whether the details are beside the list.
    var isWide: Bool { size.width >= 100 }

    // MARK: - Keys

    /// - Returns: What is to be done, in order.
    mutating func handle(_ key: Key) -> [BrowseAction] {
        message = nil
        if key == .control("l") { return [.redraw] }
        rows.hold()
        switch mode {
        case .list: return isReading ? read(key) : list(key)
        case .search(let editor, let before): return search(key, editor, before)
        case .form(let form): return fill(form, key)
        case .conflict(let conflict): return settle(conflict, key)
        case .help:
            if !scrollPanel(key) { mode = .list }
            return []
        case .question(_, let yes, let no):
            mode = no
            guard key == .character("y") || key == .character("Y") else { return [] }
            mode = .list
            return [yes]
        }
    }

    private mutating func list(_ key: Key) -> [BrowseAction] {
        switch key {
        case .character("q"): return [.quit]
        case .down, .character("j"): rows.move(by: 1)
        case .up, .character("k"): rows.move(by: -1)
        case .pageDown, .control("f"), .character(" "): rows.move(by: listHeight)
        case .pageUp, .control("b"): rows.move(by: -listHeight)
        case .control("d"): rows.move(by: listHeight / 2)
        case .control("u"): rows.move(by: -listHeight / 2)
        case .home, .character("g"): rows.select(0)
        case .end, .character("G"): rows.select(.max)
        case .enter, .right, .tab, .character("l"): isReading = rows.selectedID != nil
        case .escape where !search.isEmpty || !filters.isEmpty:
            (search, filters) = ("", [:])
            rows.restart()
            return [.query]
        default: return common(key)
        }
        return []
    }

    private mutating func read(_ key: Key) -> [BrowseAction] {
        let page = bodyHeight
        switch key {
        case .escape, .left, .enter, .tab, .character("q"), .character("h"): isReading = false
        case .down, .character("j"): details?.scroll(by: 1)
        case .up, .character("k"): details?.scroll(by: -1)
        case .pageDown, .control("f"), .character(" "): details?.scroll(by: page)
        case .pageUp, .control("b"): details?.scroll(by: -page)
        case .home, .character("g"): details?.scroll(by: -1_000_000)
        case .end, .character("G"): details?.scroll(by: 1_000_000)
        case .character("n"): rows.move(by: 1)
        case .character("p"): rows.move(by: -1)
        default: return common(key)
        }
        return []
    }

    private mutating func common(_ key: Key) -> [BrowseAction] {
        guard case .character(let letter) = key else { return [] }
        switch letter {
        case "?": (mode, panelTop) = (.help, 0)
        case "r": return [.reload]
        case "a": return [.open(.add)]
        case "f":
            if abilities.hasFilters { return [.open(.filter)] }
            message = .failure("There is no filter: no field of the \(abilities.plural) has one.")
        case "/":
            guard abilities.hasSearch else {
                message = .failure("There is no search: no field of the \(abilities.plural) is searched.")
                return []
            }
            isReading = false
            mode = .search(LineEditor(search), before: search)
        case "e", "d", "c":
            guard let id = rows.selectedID else {
                message = .failure("There is no \(abilities.noun) here.")
                return []
            }
            if letter == "e" { return [.open(.edit(id: id))] }
            if letter == "c" { return [.showConflict(id: id)] }
            mode = .question("Delete this \(abilities.noun)?", yes: .delete(id: id), no: .list)
        default: break
        }
        return []
    }

    /// Each change of the text is another list.
    private mutating func search(_ key: Key, _ editor: LineEditor, _ before: String) -> [BrowseAction] {
        var editor = editor
        switch key {
        case .enter: mode = .list
        case .escape:
            mode = .list
            return find(before)
        case .down, .up, .pageDown, .pageUp: return list(key)
        case .backspace where editor.text.isEmpty: mode = .list
        default:
            guard editor.handle(key) else { return [] }
            mode = .search(editor, before: before)
            return find(editor.text)
        }
        return []
    }

    private mutating func find(_ text: String) -> [BrowseAction] {
        // A longer text is searched by its beginning, as far as a search may be long.
        var text = text
        while text.utf8.count > 200 { text.removeLast() }
        guard text != search else { return [] }
        search = text
        rows.restart()
        return [.query]
    }

    private mutating func fill(_ form: BrowseForm, _ key: Key) -> [BrowseAction] {
        var form = form
        switch form.handle(key) {
        case .none: mode = .form(form)
        case .save where form.purpose == .filter:
            mode = .form(form)
            return [.save(form)]
        case .save:
            guard form.isChanged || form.purpose == .add else {
                mode = .list
                message = .note("Nothing was changed.")
                return []
            }
            form.isSaving = true
            mode = .form(form)
            return [.save(form)]
        case .cancel:
            let isLost = form.isChanged && form.purpose != .filter
            mode = isLost ? .question("Discard what you typed?", yes: .redraw, no: .form(form)) : .list
        }
        return []
    }

    private mutating func settle(_ conflict: BrowseConflict, _ key: Key) -> [BrowseAction] {
        let side: SyncConflict.Side
        switch key {
        case .character("l"): side = .local
        case .character("r"): side = .remote
        case .escape, .left, .character("q"):
            mode = .list
            return []
        default:
            _ = scrollPanel(key)
            return []
        }
        let text =
            side == .local
            ? "Keep the local side? It is sent to the server."
            : "Keep the server's side? What was written here is dropped."
        mode = .question(text, yes: .resolve(conflict.id, keeping: side), no: .conflict(conflict))
        return []
    }

    /// - Returns: Whether the key scrolls: never where all lines are on the screen.
    private mutating func scrollPanel(_ key: Key) -> Bool {
        let (lines, room) = (panelLines.count, panelHeight)
        guard lines > room else { return false }
        switch key {
        case .down, .character("j"): panelTop += 1
        case .up, .character("k"): panelTop -= 1
        case .pageDown, .control("f"), .character(" "): panelTop += room
        case .pageUp, .control("b"): panelTop -= room
        case .home, .character("g"): panelTop = 0
        case .end, .character("G"): panelTop = lines
        default: return false
        }
        panelTop = max(0, min(panelTop, lines - room))
        return true
    }
}
