package import FoundationEssentials

/// Entries in equal steps of time, by severity: the data of a plot.
package struct Histogram: Sendable, Hashable {
    /// A full hour.
    package let start: Date
    /// Hours of a bar.
    package let step: Int
    /// One for each step; the sum of all is the number of entries in the period.
    package private(set) var bars: [Report.SeverityCounts]

    /// The highest bar; 1 if there is no entry.
    package var highest: Int { max(1, bars.map(\.total).max() ?? 0) }
    package var end: Date { start(of: bars.count) }
    package func start(of bar: Int) -> Date { start.addingTimeInterval(Double(bar * step) * Report.hour) }

    /// - Parameters:
    ///   - hours: Hours from `start` on that the bars cover, at least 1. Entries outside are not counted.
    ///   - limit: Most bars.
    init(_ counts: some Sequence<Report.HourCount>, from start: Date, hours: Int, atMost limit: Int) {
        self.start = start
        step = Self.step(hours: hours, atMost: limit)
        bars = Array(repeating: .init(), count: (hours + step - 1) / step)
        for count in counts {
            let hour = Int((count.start.timeIntervalSince(start) / Report.hour).rounded())
            if hour >= 0, hour < hours { bars[hour / step].add(count.severities) }
        }
    }

    /// The shortest usual step with at most `limit` bars.
    private static func step(hours: Int, atMost limit: Int) -> Int {
        let least = max(1, (hours + limit - 1) / limit)
        return [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168].first { $0 >= least } ?? (least + 167) / 168 * 168
    }
}

extension Report {
    /// The period in full hours: from its start, or the first entry, to the creation of the report or the last entry.
    private var period: (start: Date, hours: Int) {
        let from = min(since ?? createdAt, hours.first?.start ?? createdAt)
        let start = Date(timeIntervalSince1970: (from.timeIntervalSince1970 / Self.hour).rounded(.down) * Self.hour)
        let end = max(createdAt, hours.last.map { $0.start.addingTimeInterval(Self.hour) } ?? createdAt)
        return (start, max(1, Int((end.timeIntervalSince(start) / Self.hour).rounded(.up))))
    }

    /// All entries.
    ///
    /// - Parameter limit: Most bars.
    package func histogram(atMost limit: Int) -> Histogram {
        Histogram(hours, from: period.start, hours: period.hours, atMost: limit)
    }

    /// All entries in parts of some days each, oldest first, without the parts that have none; empty for a period of at most
    /// a day.
    ///
    /// - Parameters:
    ///   - limit: Most parts.
    ///   - bars: Most bars of a part.
    ///   - hourOfDay: The local hour of a time, 0 to 23, so that a part begins at midnight.
    package func parts(atMost limit: Int, bars: Int, hourOfDay: (Date) -> Int) -> [Histogram] {
        let period = period
        guard period.hours > 24 else { return [] }
        let early = hourOfDay(period.start)
        let start = period.start.addingTimeInterval(Double(-early) * Self.hour)
        let length = Histogram.days(hours: period.hours + early, atMost: limit) * 24
        var counts: [Int: [HourCount]] = [:]
        for hour in hours {
            counts[Int(hour.start.timeIntervalSince(start) / Self.hour) / length, default: []].append(hour)
        }
        return counts.sorted { $0.key < $1.key }.map { number, hours in
            let first = start.addingTimeInterval(Double(number * length) * Self.hour)
            return Histogram(hours, from: first, hours: length, atMost: bars)
        }
    }
}

extension Histogram {
    /// The fewest usual days of which `limit` parts cover the hours.
    fileprivate static func days(hours: Int, atMost limit: Int) -> Int {
        let least = (hours + 24 * limit - 1) / (24 * limit)
        return [1, 2, 3, 7, 14, 28].first { $0 >= least } ?? (least + 27) / 28 * 28
    }
}
