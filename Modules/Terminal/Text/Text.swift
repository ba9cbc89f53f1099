/// The style of a text on a terminal with colour.
public enum TextStyle: Sendable, Hashable {
    /// As it is, bold, dim, or in a colour.
    case plain, bold, dim, red, yellow, green, cyan
    /// Foreground and background exchanged.
    case reverse

    /// Select Graphic Rendition (ECMA-48, section 8.3.117).
    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .bold: "1"
        case .dim: "2"
        case .reverse: "7"
        case .red: "31"
        case .green: "32"
        case .yellow: "33"
        case .cyan: "36"
        }
    }

    func applied(to text: String, colored: Bool) -> String {
        guard colored, let code, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// Text in parts with different styles. Parts are escaped when they are printed.
public struct Text: Sendable, Hashable, ExpressibleByStringInterpolation {
    private var pieces: [Piece]

    private struct Piece: Sendable, Hashable {
        var text: String
        var style: TextStyle
    }

    /// A text in one style.
    public init(_ text: String, _ style: TextStyle = .plain) { pieces = [Piece(text: text, style: style)] }
    public init(stringLiteral text: String) { self.init(text) }

    /// Both texts, one after the other.
    public static func + (left: Text, right: Text) -> Text {
        var sum = left
        sum.pieces += right.pieces
        return sum
    }

    /// The same styles with other texts; each text is escaped first.
    func mapPieces(_ change: (String) -> String) -> Text {
        var copy = self
        for index in pieces.indices { copy.pieces[index].text = change(SafeText.escaped(pieces[index].text)) }
        return copy
    }

    /// The text of all parts, on one line.
    var plain: String { pieces.map { SafeText.oneLine($0.text) }.joined() }

    /// The longest beginning, on one line, that fits into `width` cells, with `…` if it was cut.
    func cut(to width: Int) -> Text {
        var copy = self
        var room = width
        // Whether something follows the part that is looked at: then it must leave a cell for the mark.
        var rest = pieces.reduce(0) { $0 + DisplayWidth.cells(SafeText.oneLine($1.text)) }
        let isCut = rest > width
        for index in pieces.indices {
            let text = SafeText.oneLine(pieces[index].text)
            let cells = DisplayWidth.cells(text)
            rest -= cells
            let fits = cells < room || cells == room && (!isCut || rest == 0)
            copy.pieces[index].text = fits ? text : room > 0 ? DisplayWidth.cut(text + "……", to: room) : ""
            room = fits ? room - cells : 0
        }
        return copy
    }

    func rendered(colored: Bool) -> String {
        pieces.map { $0.style.applied(to: SafeText.escaped($0.text), colored: colored) }.joined()
    }
}
