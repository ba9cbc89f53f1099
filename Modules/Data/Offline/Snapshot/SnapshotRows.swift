/// The rows of a batch, ready to be bound: found, compared with their columns and sealed while the database stores the batch
/// before.
struct SnapshotRows: Sendable {
    struct ScannedRow: Sendable {
        /// The whole line, without its line feed.
        var line: SnapshotScanner.Slice
        var id = SnapshotScanner.Slice()
        /// Place in `contents` of the canonical content, as the text of a JSON object.
        var content = SnapshotScanner.Slice()
        /// Place of its shape; `nil` for a line that takes the way of a page.
        var shape: Int16?
        /// Place of the first column's value.
        var firstValue: Int32 = 0
        var version = 0
        var milliseconds = 0
        var seal = 0
    }

    let lines: [UInt8]
    let shapes: [SnapshotShape]
    private(set) var rows: [ScannedRow] = []
    private(set) var values: [SnapshotShape.ScannedValue] = []
    private(set) var contents: [UInt8] = []

    /// - Parameters:
    ///   - lines: Whole row lines.
    ///   - shapes: Of the collections that state their columns.
    init(_ lines: [UInt8], _ shapes: [SnapshotShape]) {
        self.lines = lines
        self.shapes = shapes
        contents.reserveCapacity(lines.count)
        lines.withUnsafeBufferPointer { find(in: $0) }
    }

    /// Runs `body` with the bytes of the lines and of the contents.
    func withBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try lines.withUnsafeBufferPointer { lines in
            try contents.withUnsafeBufferPointer { contents in try body(lines, contents) }
        }
    }

    private mutating func find(in buffer: UnsafeBufferPointer<UInt8>) {
        guard let bytes = buffer.baseAddress else { return }
        var scanner = SnapshotScanner(bytes)
        var (start, last) = (0, 0)
        while start < buffer.count {
            let end = SnapshotScanner.lineFeed(in: buffer, from: start) ?? buffer.count
            var row = ScannedRow(line: SnapshotScanner.Slice(start: start, end: end))
            if scanner.scan(start..<end), let shape = shape(scanner.collection, bytes, mostLikely: last) {
                last = shape
                row.firstValue = Int32(truncatingIfNeeded: values.count)
                if shapes[shape].append(scanner, bytes, to: &values) { take(scanner, bytes, shape, &row) }
            }
            if rows.isEmpty { reserve(buffer.count / (end + 1) + 1, for: last) }
            rows.append(row)
            start = end + 1
        }
    }

    /// - Parameter lines: About how many there are.
    private mutating func reserve(_ lines: Int, for shape: Int) {
        rows.reserveCapacity(min(lines, Self.mostReserved))
        guard shapes.indices.contains(shape) else { return }
        values.reserveCapacity(min(lines, Self.mostReserved) * shapes[shape].columns.count)
    }

    private static let mostReserved = 20_000

    private mutating func take(
        _ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>, _ shape: Int, _ row: inout ScannedRow
    ) {
        (row.shape, row.id) = (Int16(truncatingIfNeeded: shape), scanner.id)
        (row.version, row.milliseconds) = (scanner.version, scanner.milliseconds)
        let start = contents.count
        scanner.appendContent(to: &contents, bytes)
        row.content = SnapshotScanner.Slice(start: start, end: contents.count)
        row.seal = contents.withUnsafeBufferPointer {
            shapes[shape].seal(scanner, bytes, UnsafeBufferPointer(rebasing: $0[start...]))
        }
    }

    private func shape(
        _ collection: SnapshotScanner.Slice, _ bytes: UnsafePointer<UInt8>, mostLikely: Int
    ) -> Int? {
        if shapes.indices.contains(mostLikely), shapes[mostLikely].isFor(collection, bytes) { return mostLikely }
        return shapes.firstIndex { $0.isFor(collection, bytes) }
    }
}
