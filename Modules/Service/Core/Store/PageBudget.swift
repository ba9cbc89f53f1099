/// Counts the bytes of a page: it admits one row of any size, then rows within `PageLimit.bytes`.
struct PageBudget {
    private var isEmpty = true
    private var left: Int

    init(bytes: Int = PageLimit.bytes) { left = bytes }

    /// Whether a row of `size` bytes fits in the page. If so, it is counted.
    mutating func admits(_ size: Int) -> Bool {
        guard isEmpty || size <= left else { return false }
        isEmpty = false
        left -= size
        return true
    }

    /// Rows read at a time by their ids, which bounds the rows read beyond the page.
    static let batch = 32
}
