/// Rows that were read since the last write.
///
/// A read notes its row in a few nanoseconds: the row has one place, and two rows of one place lose each other's visit,
/// which costs at most that one is evicted too early.
struct VisitedRows {
    /// Zero where there is none; made by the first note.
    private var rows: [Int64] = []
    private var count = 0

    private static let places = 1024

    mutating func note(_ row: Int64) {
        if rows.isEmpty { rows = Array(repeating: 0, count: Self.places) }
        // Above the lower 24 bits a number tells keys apart, in these the records of one key.
        let place = Int(truncatingIfNeeded: row >> 24 ^ row) & (Self.places - 1)
        if rows[place] == 0 { count += 1 }
        rows[place] = row
    }

    /// Some of them, which are forgotten here.
    mutating func take(_ most: Int) -> [Int64] {
        var taken: [Int64] = []
        var place = 0
        while count > 0, taken.count < most {
            if rows[place] != 0 {
                taken.append(rows[place])
                rows[place] = 0
                count -= 1
            }
            place += 1
        }
        return taken
    }
}
