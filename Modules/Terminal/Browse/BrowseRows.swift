import FoundationEssentials

/// The rows of a list that are here, of all that it has, and the place of the cursor.
///
/// Only a window of the list is in memory. A row outside of it is shown as `…` until the next window is here.
struct BrowseRows: Sendable {
    /// The position of the first row of the window.
    private(set) var start = 0
    /// The ids of the rows of the window.
    private(set) var ids: [String] = []
    /// Whether rows follow the window.
    private(set) var hasMore = false
    /// The position of the row under the cursor.
    private(set) var selected = 0
    /// The position of the first row on the screen.
    private(set) var top = 0
    /// The number of all rows where it is known.
    private var total: Int?
    /// The row that the cursor stays on when others come before it; `nil` stays at the position.
    private var anchor: String?
    /// Whether the cursor stays on a row: a key was typed since the list began. Until then it is on the first row.
    private var isHeld = false
    /// A row that the cursor goes to once it is here.
    private var awaited: String?
    private var table = Table([])
    private var layout: (width: Int, lines: [Text])?

    /// All rows, as far as they are known; one more where more follow.
    var count: Int { total ?? start + ids.count + (hasMore ? 1 : 0) }
    /// Whether `count` is that of the whole list.
    var isCounted: Bool { total != nil || !hasMore }
    /// The id of the row under the cursor; `nil` while the row is not here.
    var selectedID: String? { id(at: selected) }
    var isEmpty: Bool { count == 0 }

    private func id(at position: Int) -> String? {
        ids.indices.contains(position - start) ? ids[position - start] : nil
    }

    // MARK: - Content

    /// Another list: the cursor is on its first row. The old rows stay until the new ones are here.
    mutating func restart() { (selected, top, anchor, total, isHeld, awaited) = (0, 0, nil, nil, false, nil) }

    /// Shows a window.
    ///
    /// - Parameters:
    ///   - ids: `windowSize`; fewer at the end of the list.
    ///   - table: The rows of `ids`.
    mutating func show(_ ids: [String], from start: Int, _ table: Table) {
        (self.start, self.ids, self.table, layout) = (start, ids, table, nil)
        hasMore = ids.count >= Self.windowSize
        if !hasMore, !ids.isEmpty || start == 0 { total = start + ids.count }
        if ids.isEmpty, start > 0 { total = min(total ?? start, start) }
        if hasMore, let known = total { total = max(known, start + ids.count) }
        if let anchor, let place = ids.firstIndex(of: anchor) {
            // At the top of the list the new rows are shown, and the cursor goes down with its row.
            if top > 0 { top += start + place - selected }
            selected = start + place
        }
        reach()
        clamp()
    }

    /// From now on the cursor stays on its row.
    mutating func hold() {
        guard !isHeld else { return }
        (isHeld, anchor) = (true, selectedID)
    }

    /// The cursor goes to the row `id` as soon as it is here, unless a key moves it first.
    mutating func follow(_ id: String) {
        (isHeld, awaited) = (true, id)
        reach()
    }

    private mutating func reach() {
        guard let id = awaited, let place = ids.firstIndex(of: id) else { return }
        select(start + place)
    }

    /// - Parameter total: Counted at the same time as the rows, or a little later; `nil` is not known.
    mutating func count(_ total: Int?) {
        guard let total else { return }
        self.total = hasMore ? max(total, start + ids.count) : total
        // The window tells the end of the list better.
        if !hasMore, !ids.isEmpty || start == 0 { self.total = start + ids.count }
        clamp()
    }

    private mutating func clamp() {
        selected = max(0, min(selected, count - 1))
        top = max(0, min(top, selected))
        anchor = isHeld ? selectedID : nil
    }

    // MARK: - Moving

    /// - Parameter position: Beyond an end, the last row there is meant.
    mutating func select(_ position: Int) {
        selected = max(0, min(position, count - 1))
        (isHeld, anchor, awaited) = (true, selectedID, nil)
    }

    mutating func move(by rows: Int) { select(selected + rows) }

    /// Scrolls so far that the cursor is on a screen with room for `height` rows.
    mutating func scroll(height: Int) {
        top = min(top, selected)
        top = max(top, selected - max(1, height) + 1, 0)
        // No empty lines below the end.
        if count > 0 { top = max(0, min(top, max(0, count - max(1, height)))) }
    }

    /// The window to ask for, if the screen and what is near it lie outside of the one that is here.
    func wanted(height: Int) -> Range<Int>? {
        let first = max(0, top - Self.margin)
        let near = first..<max(first, min(top + height + Self.margin, count))
        let end = start + ids.count
        if near.isEmpty || near.lowerBound >= start && near.upperBound <= end { return nil }
        let begin = max(0, top - (Self.windowSize - height) / 2)
        return begin..<begin + Self.windowSize
    }

    /// Rows of a window: those of a screen, and enough around it.
    static let windowSize = 400
    private static let margin = 50

    // MARK: - Lines

    /// The heading and the rows on a screen with room for `height` rows, cut to `width` and with a mark before the row of the cursor.
    mutating func lines(width: Int, height: Int, times: TimeText, now: Date) -> [Text] {
        if layout?.width != width {
            layout = (width, table.texts(width: max(1, width - Self.mark.count), times: times, now: now))
        }
        let all = layout?.lines ?? []
        let heading = Text(Self.noMark) + (all.first ?? Text(""))
        return [heading]
            + (top..<max(top, min(top + height, count))).map { position in
                let place = position - start + 1
                let line = place > 0 && all.indices.contains(place) ? all[place] : Text("…", .dim)
                guard position == selected else { return Text(Self.noMark) + line }
                let text = (Text(Self.mark) + line).cut(to: width).plain
                let rest = String(repeating: " ", count: max(0, width - DisplayWidth.cells(text)))
                return Text(text + rest, .reverse)
            }
    }

    private static let mark = "> "
    private static let noMark = "  "
}
