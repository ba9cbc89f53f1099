/// Throughput of both kinds of rounds, and what follows from it.
struct Comparison {
    struct Pair {
        /// Calls per second.
        var full = 0.0
        var bare = 0.0
    }

    let concurrency: Int
    let pairs: [Pair]

    /// Median of the ratios of neighbouring rounds; 1 is no overhead.
    var ratio: Double { Self.median(pairs.map { $0.full / $0.bare }) }

    var text: String {
        let (full, bare) = (Self.median(pairs.map(\.full)), Self.median(pairs.map(\.bare)))
        let ratios = pairs.map { $0.full / $0.bare }.sorted()
        return """
            concurrency \(concurrency): full pipeline \(Int(full)) calls/s, bare transport \(Int(bare)) calls/s, \
            ratio \(Self.shown(ratio)) (lowest \(Self.shown(ratios.first ?? 0)), highest \(Self.shown(ratios.last ?? 0)))
            """
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    private static func shown(_ ratio: Double) -> String {
        let thousandths = Int((ratio * 1000).rounded())
        let digits = String(thousandths % 1000)
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
    }
}
