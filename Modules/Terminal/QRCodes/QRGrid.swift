/// The modules of a QR code while it is made.
struct QRGrid {
    private(set) var modules: [[Bool]]
    /// Modules of the patterns and of the format, which hold no data.
    private var isReserved: [[Bool]]
    private let size: Int

    /// The patterns of a version (ISO/IEC 18004, section 6.3).
    init(_ version: QRVersion) {
        size = version.size
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isReserved = modules
        for index in 0..<size {
            reserve(6, index, isDark: index % 2 == 0)
            reserve(index, 6, isDark: index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { square(row, column, radius: 4, light: [2, 4]) }
        if version.number > 1 { square(size - 7, size - 7, radius: 2, light: [1]) }
        for (first, second) in formatPlaces {
            for (row, column) in [first, second] { reserve(row, column, isDark: false) }
        }
        reserve(size - 8, 8, isDark: true)
    }

    /// Squares around a centre; `light` are the distances of the light ones.
    private mutating func square(_ row: Int, _ column: Int, radius: Int, light: [Int]) {
        for y in (row - radius)...(row + radius) where (0..<size).contains(y) {
            for x in (column - radius)...(column + radius) where (0..<size).contains(x) {
                reserve(y, x, isDark: !light.contains(max(abs(y - row), abs(x - column))))
            }
        }
    }

    private mutating func reserve(_ row: Int, _ column: Int, isDark: Bool) {
        modules[row][column] = isDark
        isReserved[row][column] = true
    }

    /// Places the bits in pairs of columns, from the lower right corner, upwards and downwards in turn (section 7.7.3).
    mutating func place(_ codewords: [UInt8], mask: Int) {
        var bit = 0
        var column = size - 1
        var isUpward = true
        while column > 0 {
            if column == 6 { column -= 1 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for x in [column, column - 1] where !isReserved[row][x] {
                    let isSet = bit / 8 < codewords.count && codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    modules[row][x] = isSet != Self.isMasked(row, x, mask)
                    bit += 1
                }
            }
            isUpward.toggle()
            column -= 2
        }
    }

    /// Table 10.
    private static func isMasked(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
        let product = row * column
        return switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: product % 2 + product % 3 == 0
        case 6: (product % 2 + product % 3) % 2 == 0
        default: ((row + column) % 2 + product % 3) % 2 == 0
        }
    }

    /// Level L and the mask, with their BCH code, twice (section 7.9).
    mutating func placeFormat(mask: Int) {
        let data = 0b01 << 3 | mask
        var rest = data << 10
        for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 { rest ^= 0x537 << (bit - 10) }
        let format = (data << 10 | rest) ^ 0x5412
        for (bit, places) in formatPlaces.enumerated() {
            let isDark = format >> bit & 1 == 1
            for (row, column) in [places.0, places.1] { modules[row][column] = isDark }
        }
    }

    /// The two places of each bit, the lowest bit first.
    private var formatPlaces: [((Int, Int), (Int, Int))] {
        let first = [0, 1, 2, 3, 4, 5, 7, 8].map { ($0, 8) } + [7, 5, 4, 3, 2, 1, 0].map { (8, $0) }
        let second = (1...8).map { (8, size - $0) } + (1...7).reversed().map { (size - $0, 8) }
        return Array(zip(first, second))
    }
}
