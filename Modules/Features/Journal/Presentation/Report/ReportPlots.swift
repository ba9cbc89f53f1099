import FoundationEssentials
import JournalDomain
import StrataHTTP
import StrataTerminal

/// The plots of the whole period, the table of its parts, and the plots and table of each part, which a link opens.
///
/// A bar is as high as its number of entries in the units of the picture, so the plot is its own data.
struct ReportPlots {
    private let whole: Histogram
    private let parts: [Histogram]
    private let times: TimeText

    private static let (partLimit, barLimit) = (31, 186)

    init(_ report: Report, _ times: TimeText) {
        whole = report.histogram(atMost: Self.barLimit)
        parts = report.parts(atMost: Self.partLimit, bars: 168) { date in
            Int(times.point(date).dropFirst(11).prefix(2)) ?? 0
        }
        self.times = times
    }

    var html: String {
        """
        <h2 id="plot">Entries \(Self.unit(whole))</h2>
        \(figure(whole, links: parts))\(parts.isEmpty ? numbers(whole) : table(of: parts))\
        \(parts.enumerated().map(zoom).joined())
        """
    }

    /// ` per hour`, ` per 6 hours`, ` per day`.
    private static func unit(_ plot: Histogram) -> String {
        switch plot.step {
        case 1: "per hour"
        case 24: "per day"
        case let hours where hours % 24 == 0: "per \(hours / 24) days"
        default: "per \(plot.step) hours"
        }
    }

    /// Three plots, each with a scale of its own: critical entries are few, and would not be seen below the others.
    ///
    /// - Parameter links: The parts that the areas of the plots lead to. The table has the same links for the keyboard.
    private func figure(_ plot: Histogram, links: [Histogram] = []) -> String {
        let areas = links.enumerated().map { link($0, $1) }.joined()
        let plots = [
            ("critical", \Report.SeverityCounts.critical), ("warning", \.warning), ("info", \.info),
        ].map { name, count in self.plot(plot, name, plot.bars.map { $0[keyPath: count] }, areas) }
        return """
            <figure>\(plots.joined())<div class="ends"><span>\(time(plot.start))</span><span>\(time(plot.end))</span></div>
            </figure>

            """
    }

    private func plot(_ plot: Histogram, _ name: String, _ counts: [Int], _ areas: String) -> String {
        guard let highest = counts.max(), highest > 0 else { return "" }
        let bars = counts.enumerated().filter { $0.element > 0 }.map { "M\($0 * 10) \(highest)h9v-\($1)h-9z" }
        let text = "\(counts.reduce(0, +)) \(name), at most \(highest) \(Self.unit(plot))"
        return """
            <figcaption class="\(name)">\(text)</figcaption>
            <svg class="\(name)" viewBox="0 0 \(counts.count * 10) \(highest)" preserveAspectRatio="none" role="img" \
            aria-label="\(text)"><path d="\(bars.joined())"/>
            \(areas.replacing("HEIGHT", with: "\(highest)"))</svg>

            """
    }

    /// The area of a part in the plots of the whole period.
    private func link(_ number: Int, _ part: Histogram) -> String {
        func place(_ date: Date) -> Int {
            let hours = date.timeIntervalSince(whole.start) / 3600
            return max(0, min(whole.bars.count * 10, Int(hours * 10 / Double(whole.step))))
        }
        let (start, end) = (place(part.start), place(part.end))
        return """
            <a href="#part\(number)" tabindex="-1" aria-hidden="true"><rect x="\(start)" y="0" \
            width="\(max(1, end - start))" height="HEIGHT"><title>\(name(part)): \(sentence(part))</title></rect></a>

            """
    }

    private func table(of parts: [Histogram]) -> String {
        var table = HTMLTable("", ["Period", "Entries", "Critical", "Warning", "Info"], bytes: 20_000)
        for (number, part) in parts.enumerated() {
            let sum = sum(part)
            table.add([name(part), "\(sum.total)"] + sum.cells, anchor: "part\(number)")
        }
        return table.html(of: parts.count)
    }

    private func zoom(_ number: Int, _ part: Histogram) -> String {
        """
        <section class="zoom" id="part\(number)"><h2>\(name(part)), \(Self.unit(part))</h2>
        \(figure(part))\(numbers(part))<p><a href="#plot">Back to the whole period</a></p></section>

        """
    }

    /// The bars that are not empty as a table.
    private func numbers(_ plot: Histogram) -> String {
        let filled = plot.bars.enumerated().filter { $0.element.total > 0 }
        var table = HTMLTable("", ["From", "Entries", "Critical", "Warning", "Info"], bytes: 20_000)
        for (index, bar) in filled { table.add([time(plot.start(of: index)), "\(bar.total)"] + bar.cells) }
        return table.html(of: filled.count)
    }

    private func sum(_ plot: Histogram) -> (total: Int, cells: [String]) {
        let sums = [\Report.SeverityCounts.critical, \.warning, \.info].map { severity in
            plot.bars.reduce(0) { $0 + $1[keyPath: severity] }
        }
        return (sums.reduce(0, +), sums.map(String.init))
    }

    private func sentence(_ plot: Histogram) -> String {
        let cells = sum(plot).cells
        return "\(cells[0]) critical, \(cells[1]) warning, \(cells[2]) info"
    }

    /// `2026-11-21`, or its first and last day.
    private func name(_ plot: Histogram) -> String {
        let days = [plot.start, plot.end.addingTimeInterval(-1)].map { String(times.point($0).prefix(10)) }
        return days[0] == days[1] ? days[0] : "\(days[0]) to \(days[1])"
    }

    /// `2026-11-21 10:00`.
    private func time(_ date: Date) -> String { String(times.point(date).prefix(16)) }
}
