/// What is asked for, one after the other; the same in each run.
enum Trace: String, CaseIterable {
    case zipf = "Zipf, exponent 1, of 2000"
    case scan = "the same with scans of 400 in between"

    func numbers(_ count: Int) -> [Int] {
        var state: UInt64 = 42
        var sums: [Double] = []
        for rank in 1...2000 { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
        var numbers: [Int] = []
        var fresh = 1_000_000
        while numbers.count < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let sought = Double(state >> 11) / Double(1 << 53) * (sums.last ?? 1)
            numbers.append(sums.partition(sought))
            if self == .scan, numbers.count.isMultiple(of: 2000) {
                numbers += fresh..<fresh + 400
                fresh += 400
            }
        }
        return numbers
    }
}

extension [Double] {
    /// Index of the first that is at least `value`.
    fileprivate func partition(_ value: Double) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The measure to beat.
struct LeastRecentlyUsed {
    private let size: Int
    private var ages: [Int: Int] = [:]
    private var order: [Int: Int] = [:]
    private var (next, oldest) = (0, 0)

    init(_ size: Int) { self.size = size }

    /// - Returns: Whether it was there; it is now.
    mutating func hit(_ number: Int) -> Bool {
        let age = ages[number]
        if let age { order[age] = nil }
        ages[number] = next
        order[next] = number
        next += 1
        while ages.count > size {
            if let gone = order.removeValue(forKey: oldest) { ages[gone] = nil }
            oldest += 1
        }
        return age != nil
    }
}
