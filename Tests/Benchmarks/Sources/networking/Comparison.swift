/// Throughput of the three ways, and what follows from it.
struct Comparison {
    /// Calls per second, of neighbouring rounds.
    typealias Round = [Contenders.Way: Double]

    let concurrency: Int
    let rounds: [Round]

    /// Median of the ratios of neighbouring rounds; 1 is no overhead.
    func ratio(to other: Contenders.Way) -> Double { Self.median(ratios(to: other)) }

    var text: String {
        let rates = Contenders.Way.allCases.map { way in
            "\(Self.names[way] ?? "") \(Int(Self.median(rounds.map { $0[way] ?? 0 }))) calls/s"
        }
        let ratios = [Contenders.Way.alone, .bare].map { way in
            let sorted = self.ratios(to: way).sorted()
            return """
                ratio to \(Self.names[way] ?? "") \(Self.shown(ratio(to: way))) \
                (lowest \(Self.shown(sorted.first ?? 0)), highest \(Self.shown(sorted.last ?? 0)))
                """
        }
        return "concurrency \(concurrency): " + (rates + ratios).joined(separator: "; ")
    }

    private static let names: [Contenders.Way: String] = [
        .full: "full pipeline", .alone: "AsyncHTTPClient alone", .bare: "our transport alone",
    ]

    private func ratios(to other: Contenders.Way) -> [Double] {
        rounds.map { ($0[.full] ?? 0) / max($0[other] ?? 0, .leastNonzeroMagnitude) }
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
