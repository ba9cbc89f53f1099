import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

@Suite struct `The screen of browse` {
    private var state: BrowseState

    init() {
        state = BrowseState(.init(plural: "notes", noun: "note"), times: .utc, now: .noon)
        state.isLoading = false
        state.freshness = "3 unsent · synced 2 min ago"
    }

    private func shown(_ texts: [String], width: Int = 80, height: Int = 24) -> BrowseState {
        var state = state
        state.size = ScreenSize(width: width, height: height)
        var table = Table([.init("ID"), .init("TEXT", isFlexible: true)])
        for (number, text) in texts.enumerated() { table.add([.init("n-\(number)"), .init(text)]) }
        state.rows.show(texts.indices.map { "n-\($0)" }, from: 0, table)
        return state
    }

    private func press(_ keys: Key..., in state: inout BrowseState) -> [BrowseAction] {
        keys.flatMap { state.handle($0) }
    }

    // MARK: - Lines

    @Test(arguments: [(80, 24), (20, 6), (100, 30), (300, 80), (3, 1)])
    func `the screen fills the terminal and no line is wider`(width: Int, height: Int) {
        let hostile = [
            "漢字漢字漢字漢字漢字", "e\u{301}\u{302}\u{1F469}\u{200D}\u{1F52C}", String(repeating: "long ", count: 300),
        ]
        var state = shown(hostile + (0..<100).map { "note \($0)" }, width: width, height: height)
        for mode in [BrowseState.Mode.list, .help, .search(LineEditor("x"), before: "")] {
            state.mode = mode
            let text = state.screen().text
            #expect(text.count == height)
            #expect(text.allSatisfy { DisplayWidth.cells($0) <= width })
        }
    }

    @Test func `text that commands a terminal is shown and not sent`() {
        var state = shown(["\u{1B}[2J\u{1B}]0;title\u{07}gone", "a\u{202E}b\nc\r\u{9B}31m"])
        state.freshness = "\u{1B}[31m"
        state.message = .failure("\u{1B}[5m")
        var painter = ScreenPainter(colored: true)
        let drawing = painter.drawing(of: state.screen())
        for sequence in ["\u{1B}[2J\u{1B}]", "\u{1B}]0", "\u{07}", "\u{202E}", "\u{9B}", "\u{1B}[5m", "\n", "\r"] {
            #expect(!drawing.contains(sequence), "\(sequence.debugDescription)")
        }
        #expect(drawing.contains(#"\x1B]0;title\x07gone"#))
    }

    @Test
    func `an empty list says that nothing was ever synchronised, and nothing of it where rows are hidden by a search`()
    {
        var state = shown([], width: 99)
        #expect(state.screen().text[3] == "  There are no notes yet; a adds one.")
        state.firstStep = SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: nil).firstStep
        let text = state.screen().text
        #expect(text[3] == "  There are no notes on this machine yet; a adds one.")
        #expect(text[4].hasPrefix("  Never synchronised: after a login, '") && text[4].contains("sync' fetches"))
        state.search = "disk"
        #expect(state.screen().text[3] == "  No notes are like this; Esc shows all.")
        #expect(!state.screen().text.contains { $0.contains("Never synchronised") })
        #expect(SyncStatus(pending: 0, rejected: 0, conflicts: 0, lastSyncedAt: .noon).firstStep == nil)
    }

    @Test func `title, rows and keys are on the screen`() {
        var state = shown(["first", "second"])
        let text = state.screen().text
        #expect(text[0] == "notes  1 of 2  ·  3 unsent · synced 2 min ago")
        #expect(text[2] == "  ID   TEXT")
        #expect(text[3].hasPrefix("> n-0  first"))
        #expect(text[4] == "  n-1  second")
        #expect(text[23].contains("? keys"))
    }

    @Test func `only lines that changed are drawn, and none has colour where there is none`() {
        var state = shown(["first", "second", "third"])
        var painter = ScreenPainter(colored: false)
        let first = painter.drawing(of: state.screen())
        #expect(first.contains("first") && !first.contains("\u{1B}[7m") && !first.contains("\u{1B}[1m"))
        _ = state.handle(.down)
        let second = painter.drawing(of: state.screen())
        #expect(second.contains("second") && !second.contains("third"))
        painter.reset()
        #expect(painter.drawing(of: state.screen()).contains("third"))
    }

    @Test func `the same screen sends nothing, and a cursor that moved is sent`() {
        var state = shown(["first"])
        var painter = ScreenPainter(colored: true)
        _ = painter.drawing(of: state.screen())
        #expect(painter.drawing(of: state.screen()).isEmpty)
        _ = press(.character("/"), .character("x"), in: &state)
        _ = painter.drawing(of: state.screen())
        _ = press(.left, in: &state)
        #expect(painter.drawing(of: state.screen()) == "\u{1B}[?25l\u{1B}[2;2H\u{1B}[?25h")
        painter.reset()
        #expect(painter.drawing(of: state.screen()).contains("first"))
    }

    @Test(arguments: [(80, "/ search"), (40, "/ search"), (20, "? keys")])
    func `the keys that help and leave are on a narrow screen`(width: Int, first: String) {
        var state = shown(["first"], width: width, height: 10)
        let keys = state.screen().text[9]
        #expect(keys.hasPrefix(first) && keys.hasSuffix("? keys  q quit"))
        state.hasConflict = true
        #expect(state.screen().text[9].contains("c settle conflict") == (width > 20))
    }

    @Test func `a long outcome is wrapped, and the row of the cursor stays`() {
        var state = shown((0..<30).map { "note \($0)" }, width: 40, height: 10)
        _ = press(.end, in: &state)
        state.message = .failure(String(repeating: "word ", count: 20))
        let text = state.screen().text
        #expect(text.suffix(3).allSatisfy { $0.hasPrefix("word") })
        #expect(text.contains { $0.hasPrefix("> n-29") })
    }

    @Test func `help on a small screen is scrolled, and another key leaves it`() {
        var state = shown(["first"], width: 40, height: 10)
        _ = press(.character("?"), in: &state)
        var seen = Set(state.screen().text)
        #expect(!seen.contains { $0.contains("quit") })
        for _ in 0..<10 {
            _ = press(.pageDown, in: &state)
            seen.formUnion(state.screen().text)
        }
        #expect(seen.contains { $0.hasPrefix("q") && $0.hasSuffix("quit") })
        #expect(seen.contains { $0.hasPrefix("/") && $0.contains("search as you type;") })
        #expect(!seen.contains { $0.hasSuffix("…") }, "no line is cut")
        _ = press(.escape, in: &state)
        #expect(state.screen().text.contains { $0.contains("first") })
        state.size = ScreenSize(width: 80, height: 24)
        _ = press(.character("?"), .down, in: &state)
        #expect(state.screen().text.contains { $0.contains("first") }, "a help that is whole needs no scrolling")
    }

    @Test func `details are beside the list on a wide terminal, and in its place on a narrow one`() {
        let details = BrowseDetails(id: "n-0", EntityLines(fields: [("id", "n-0"), ("host", "web-1")]))
        var narrow = shown(["first"])
        narrow.details = details
        #expect(!narrow.screen().text.contains { $0.contains("web-1") })
        _ = narrow.handle(.enter)
        #expect(narrow.screen().text.contains { $0.contains("web-1") })
        #expect(!narrow.screen().text.contains { $0.contains("TEXT") })
        _ = narrow.handle(.escape)
        #expect(narrow.screen().text.contains { $0.contains("TEXT") })
        var wide = shown(["first"], width: 120)
        wide.details = details
        #expect(wide.screen().text.contains { $0.contains("ID") && $0.contains("n-0") })
    }

    // MARK: - Keys

    @Test func `each change of a search is another list, and escape takes it back`() {
        var state = shown(["first", "second"])
        _ = press(.down, .character("/"), in: &state)
        #expect(press(.character("d"), .character("i"), in: &state) == [.query, .query])
        #expect(state.search == "di")
        #expect(state.screen().text[1] == "/di")
        #expect(state.screen().cursor?.line == 1)
        #expect(press(.left, in: &state) == [])
        #expect(press(.escape, in: &state) == [.query])
        #expect(state.search.isEmpty)
        _ = press(.character("/"), .character("x"), .enter, in: &state)
        #expect(state.screen().text[1] == "/x")
        #expect(press(.escape, in: &state) == [.query])
    }

    @Test func `pasted text commands nothing`() {
        var state = shown(["first"])
        #expect(press(.paste("dyq"), in: &state).isEmpty)
        _ = press(.character("/"), in: &state)
        #expect(press(.paste("q\nd"), in: &state) == [.query])
        #expect(state.search == "q d")
    }

    @Test func `a deletion is asked about, and only y means yes`() {
        var state = shown(["first"])
        #expect(press(.character("d"), in: &state).isEmpty)
        #expect(state.screen().text[23].contains("Delete this note?"))
        #expect(press(.enter, in: &state).isEmpty)
        #expect(press(.character("d"), .character("y"), in: &state) == [.delete(id: "n-0")])
    }

    @Test func `a side of a conflict is kept after a question`() throws {
        let conflict = SyncConflict(
            id: "c-1", collection: "notes", entityId: "n-0", fields: ["text"], base: ["text": "a"],
            local: ["text": "mine"], remote: ["text": "theirs"], reason: "text changed on both sides", createdAt: .noon)
        var state = shown(["first"])
        #expect(press(.character("c"), in: &state) == [.showConflict(id: "n-0")])
        state.mode = .conflict(BrowseConflict(conflict))
        let text = state.screen().text.joined(separator: "\n")
        #expect(text.contains("mine") && text.contains("theirs"))
        #expect(press(.character("y"), .character("r"), in: &state).isEmpty)
        let asked = state.screen().text
        for text in ["theirs", "What was written here is dropped."] { #expect(asked.contains { $0.contains(text) }) }
        #expect(press(.character("n"), in: &state).isEmpty)
        #expect(press(.character("r"), .character("y"), in: &state) == [.resolve("c-1", keeping: .remote)])
    }

    @Test func `the sides of a conflict are whole, the disputed field first`() throws {
        let long = String(repeating: "word ", count: 40)
        let conflict = SyncConflict(
            id: "c-1", collection: "notes", entityId: "n-0", fields: ["text"],
            base: ["host": "a", "kind": "note", "text": "old"],
            local: ["host": "a", "kind": "note", "text": .string(long + "mine")],
            remote: ["host": "b", "kind": "note", "text": .string(long + "theirs")],
            reason: "Changed here and on the server: text.",
            createdAt: .noon)
        var state = shown(["first"], width: 40, height: 12)
        state.mode = .conflict(BrowseConflict(conflict))
        var seen: [String] = []
        for _ in 0..<60 {
            for line in state.screen().text.dropLast() where !seen.contains(line) { seen.append(line) }
            _ = press(.down, in: &state)
        }
        for text in ["mine", "theirs", "before  old"] { #expect(seen.contains { $0.contains(text) }, "\(text)") }
        let (text, host) = (seen.firstIndex(of: "text"), seen.firstIndex(of: "host"))
        #expect(try #require(text) < #require(host))
        #expect(try #require(seen.firstIndex { $0.hasPrefix("The same on both sides") }) > #require(host))
        let gone = SyncConflict(
            id: "c-2", collection: "notes", entityId: "n-0", fields: [], base: ["text": "a"], local: nil,
            remote: ["text": "edited"], reason: "Deleted here, edited on the server.", createdAt: .noon)
        state.mode = .conflict(BrowseConflict(gone))
        #expect(state.screen().text.contains("The server has:"))
        #expect(state.screen().text.contains { $0.contains("edited") })
    }

    @Test func `without a row there is nothing to edit`() {
        var state = shown([])
        #expect(press(.character("e"), .character("d"), .character("y"), .enter, in: &state).isEmpty)
        #expect(!state.isReading)
        #expect(press(.character("a"), .character("q"), in: &state) == [.open(.add), .quit])
    }

    // MARK: - Forms

    private static let form = BrowseForm(
        .edit(id: "n-0"), title: "Edit n-0",
        [
            .init("text", label: "text", hint: "one line", initial: "old"),
            .init("level", label: "level", hint: "one of", choices: ["low", "high"], initial: "low"),
        ])

    @Test func `a form is saved when a field was changed`() throws {
        var state = shown(["first"])
        state.mode = .form(Self.form)
        #expect(press(.control("s"), in: &state).isEmpty)
        #expect(state.message == .note("Nothing was changed."))
        state.mode = .form(Self.form)
        let actions = press(.character("!"), .tab, .right, .enter, in: &state)
        guard case .save(let form)? = actions.first else { throw Failure("nothing is saved: \(actions)") }
        #expect(form.fields.map(\.editor.text) == ["old!", "high"])
        #expect(press(.character("x"), .escape, in: &state).isEmpty, "keys wait while it is saved")
    }

    @Test func `typed text is lost only after a question`() {
        var state = shown(["first"])
        state.mode = .form(Self.form)
        _ = press(.character("!"), .escape, .character("n"), in: &state)
        #expect(state.screen().text.contains { $0.contains("old!") })
        _ = press(.escape, .character("y"), in: &state)
        #expect(state.screen().text.contains { $0.contains("TEXT") })
    }

    @Test func `what was refused is shown at its field`() {
        var form = Self.form
        form.isSaving = true
        form.refuse("The note was not accepted.", ["level": "must be low"])
        #expect(form.index == 1 && !form.isSaving)
        let text = form.screen(ScreenSize()).text
        #expect(text.contains { $0.contains("must be low") })
        #expect(text[22] == "The note was not accepted.")
    }

    @Test func `a hint and an error that are longer than a line are whole`() {
        var form = BrowseForm(
            .filter, title: "Only",
            [.init("since", label: "since", hint: "30m, 12h, or a time like 2026-11-21T09:05:00Z")])
        let hint = form.screen(ScreenSize(width: 40, height: 10)).text
        #expect(hint.contains { $0.contains("30m, 12h") } && hint.contains { $0.contains("2026-11-21T09:05:00Z") })
        form.refuse(
            "The list was not read: some filters cannot be read.", ["since": "'w' is no time span; use a number"])
        let refused = form.screen(ScreenSize(width: 40, height: 10)).text
        for text in ["no time span;", "number", "cannot be read."] {
            #expect(refused.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test func `the field that is edited is on a low screen`() {
        var form = BrowseForm(.add, title: "Add", (0..<40).map { .init("f\($0)", label: "field \($0)", hint: "any") })
        for _ in 0..<30 { _ = form.handle(.down) }
        let screen = form.screen(ScreenSize(width: 40, height: 10))
        #expect(screen.text.contains { $0.hasPrefix("> field 30") })
        #expect(screen.cursor.map { screen.text[$0.line].hasPrefix("> field 30") } == true)
    }
}

private struct Failure: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
