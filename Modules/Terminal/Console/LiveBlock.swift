/// Lines on a terminal that are drawn again in their place.
struct LiveBlock {
    private let sink: any TextSink
    /// Lines of the last drawing.
    private var height = 0

    init(_ sink: any TextSink) { self.sink = sink }

    /// The terminal cuts lines that are too long, so that each takes one line.
    mutating func draw(_ lines: [String]) {
        let up = height > 0 ? "\u{1B}[\(height)A" : ""
        sink.write("\(up)\r\u{1B}[J\u{1B}[?7l\(lines.map { $0 + "\n" }.joined())\u{1B}[?7h")
        height = lines.count
    }
}
