/// A QR code (ISO/IEC 18004) of a short text: byte mode, error correction level L, versions 1 to 6.
///
/// No library for QR codes is among the dependencies; an address of a login needs this part of the standard only.
public struct QRCode: Sendable, Hashable {
    /// Rows of modules; `true` is dark. The quiet zone is not among them.
    public let modules: [[Bool]]

    /// Longest text in bytes of UTF-8.
    public static let longest = 134

    /// - Returns: `nil` for a text that is too long.
    public init?(_ text: String) {
        let candidates = (0..<8).compactMap { QRCode(text, mask: $0) }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self = best
    }

    /// - Parameter mask: The mask pattern, 0 to 7.
    init?(_ text: String, mask: Int) {
        guard let version = QRVersion.all.first(where: { text.utf8.count <= $0.longestText }) else { return nil }
        var grid = QRGrid(version)
        grid.place(QRCodewords.interleaved(Array(text.utf8), version), mask: mask)
        grid.placeFormat(mask: mask)
        modules = grid.modules
    }

    /// The code in half blocks, with its quiet zone of four modules: light is drawn, so that it is dark on light on a dark
    /// terminal. Readers accept it inverted on a light one.
    public var lines: [String] {
        let size = modules.count
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<size).contains(row) && (0..<size).contains(column) && modules[row][column]
        }
        return stride(from: -4, to: size + 4, by: 2).map { row in
            String(
                (-4..<(size + 4)).map { column in
                    switch (isDark(row, column), isDark(row + 1, column)) {
                    case (false, false): "█" as Character
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                })
        }
    }

    /// How hard the code is to read (section 7.8.3); the mask with the least is used.
    private var penalty: Int {
        let columns = modules.indices.map { column in modules.map { $0[column] } }
        let dark = modules.reduce(0) { $0 + $1.count { $0 } }
        let percent = dark * 100 / (modules.count * modules.count)
        return (modules + columns).reduce(0) { $0 + Self.penalty(line: $1) } + squares * 3 + abs(percent - 50) / 5 * 10
    }

    /// Two by two modules of one colour.
    private var squares: Int {
        var count = 0
        for row in 1..<modules.count {
            for column in 1..<modules.count {
                let square = [modules[row - 1][column - 1], modules[row - 1][column], modules[row][column - 1]]
                if square.allSatisfy({ $0 == modules[row][column] }) { count += 1 }
            }
        }
        return count
    }

    /// Runs of one colour, and what looks like a finder pattern.
    private static func penalty(line: [Bool]) -> Int {
        let runs = lengths(of: line).filter { $0 >= 5 }
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        var finders = 0
        for start in 0...(line.count - 11) {
            let part = Array(line[start..<(start + 11)])
            if part == finder + light || part == light + finder { finders += 1 }
        }
        return runs.reduce(0) { $0 + $1 - 2 } + finders * 40
    }

    private static func lengths(of line: [Bool]) -> [Int] {
        var lengths: [Int] = []
        var last: Bool?
        for module in line {
            if module == last { lengths[lengths.count - 1] += 1 } else { lengths.append(1) }
            last = module
        }
        return lengths
    }
}
