import StrataHTTP

/// One field of a cron expression: a set of numbers.
struct CronField: Sendable, Hashable {
    /// A bit for each number.
    private var bits: UInt64 = 0
    /// Whether it begins with `*`, which lets the other field of days decide alone.
    let isStar: Bool

    /// - Parameters:
    ///   - name: Of the field, for the error.
    ///   - range: Its numbers.
    ///   - names: Of the numbers from the first of `range` on.
    init(_ text: Substring, _ name: String, _ range: ClosedRange<Int>, names: [String] = []) throws(CronError) {
        isStar = text.hasPrefix("*")
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let step = pieces.count == 1 ? 1 : Self.number(pieces[1])
            guard let base = pieces.first, let step, step >= 1 else { throw CronError(name, String(part), range) }
            let bounds = base.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let values = bounds.map { Self.number($0) ?? Self.place(of: $0, in: names).map { $0 + range.lowerBound } }
            let numbers: ClosedRange<Int>
            if base == "*" {
                numbers = range
            } else if bounds.count == 2, let first = values[0], let last = values[1], first <= last {
                numbers = first...last
            } else if bounds.count == 1, pieces.count == 1, let only = values[0] {
                numbers = only...only
            } else {
                throw CronError(name, String(part), range)
            }
            guard range.contains(numbers.lowerBound), range.contains(numbers.upperBound) else {
                throw CronError(name, String(part), range)
            }
            for number in stride(from: numbers.lowerBound, through: numbers.upperBound, by: step) {
                bits |= 1 << UInt64(number)
            }
        }
    }

    func contains(_ number: Int) -> Bool { bits & 1 << UInt64(number) != 0 }

    private static func number(_ text: Substring) -> Int? { text.utf8.count <= 4 ? text.decimal() : nil }

    private static func place(of name: Substring, in names: [String]) -> Int? {
        names.firstIndex { $0 == name.lowercased() }
    }
}
