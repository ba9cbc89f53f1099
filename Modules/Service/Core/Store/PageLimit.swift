import StrataDomain

/// Limits of a page in rows and bytes.
public enum PageLimit {
    /// Most bytes of the rows of a page as JSON: 1 MiB. A page has at least one row, also a larger one.
    public static let bytes = 1 << 20

    /// - Throws: 422 naming `limit` when it is outside `range`.
    public static func checked(_ limit: Int?, in range: ClosedRange<Int>, default normal: Int) throws -> Int {
        guard let limit else { return normal }
        guard range.contains(limit) else {
            throw ServiceError.validation([
                FieldError(
                    field: "limit", message: "must be \(range.lowerBound) to \(range.upperBound); it is \(limit)")
            ])
        }
        return limit
    }
}
