import StrataDomain

/// An entity as it is shown beside the list, with what belongs to it.
struct BrowseDetails: Sendable {
    let id: String
    private let lines: EntityLines
    /// What was read besides its fields; `nil` while it is read.
    var others: [EntityDetail]? = [] { didSet { layout = nil } }
    private var layout: (width: Int, lines: [Text])?
    /// The first line that is shown.
    private(set) var top = 0

    init(id: String, _ lines: EntityLines) { (self.id, self.lines) = (id, lines) }

    mutating func scroll(by lines: Int) { top = max(0, top + lines) }

    /// The same entity in a newer state, at the same place.
    func replacing(_ old: BrowseDetails?) -> BrowseDetails {
        guard let old, old.id == id else { return self }
        var new = self
        (new.others, new.top) = (old.others, old.top)
        return new
    }

    /// - Parameter height: Lines, of which the last tells whether there are more.
    mutating func screen(width: Int, height: Int) -> [Text] {
        if layout?.width != width { layout = (width, wrapped(to: max(1, width))) }
        let all = layout?.lines ?? []
        top = max(0, min(top, all.count - height))
        let shown = Array(all.dropFirst(top).prefix(height))
        let below = all.count - top - shown.count
        guard below > 0, !shown.isEmpty else { return shown }
        return shown.dropLast() + [Text("↓ \(QuantityText.count(below + 1)) more lines", .dim)]
    }

    private func wrapped(to width: Int) -> [Text] {
        let names = min(16, lines.fields.reduce(0) { max($0, DisplayWidth.cells(SafeText.oneLine($1.name))) })
        var all: [Text] = []
        for field in lines.fields {
            let values = WrappedText.lines(field.value, width: max(8, width - names - 2))
            for (number, value) in values.enumerated() {
                let name = number == 0 ? SafeText.oneLine(field.name) : ""
                let padding = String(repeating: " ", count: max(0, names - DisplayWidth.cells(name)) + 2)
                all.append(Text(name, .dim) + Text(padding + value))
            }
        }
        for text in lines.texts {
            all.append(Text(""))
            if let name = text.name { all.append(Text("\(name):", .dim)) }
            all += WrappedText.lines(text.text, width: width).map { Text($0) }
        }
        for part in others ?? [EntityDetail("", ["…"])] {
            all += [Text(""), Text(part.title, .bold)]
            all += part.lines.flatMap { WrappedText.lines($0, width: width) }.map { Text($0) }
        }
        return all
    }
}
