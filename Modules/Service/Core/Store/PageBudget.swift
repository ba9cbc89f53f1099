/// The bytes of a page while it fills: one row of any size, then as many as stay within `PageLimit.bytes`.
struct PageBudget {
    private var isEmpty = true
    private var left: Int

    init(bytes: Int = PageLimit.bytes) { left = bytes }

    /// Whether a row of `size` bytes belongs to the page; it is counted if so.
    mutating func admits(_ size: Int) -> Bool {
        guard isEmpty || size <= left else { return false }
        isEmpty = false
        left -= size
        return true
    }

    /// Rows that are read at a time where they are read by their ids: no page holds many more than it shows.
    static let batch = 32
}
