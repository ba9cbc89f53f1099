/// A list that is followed.
public struct ListView<View: EntityView>: Sendable {
    /// Rows to show at most.
    let rows: Int
    /// Said instead of a table without rows.
    let empty: String

    public init(rows: Int, empty: String) { (self.rows, self.empty) = (rows, empty) }
}
