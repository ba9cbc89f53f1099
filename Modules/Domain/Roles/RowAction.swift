/// What may be done with a row. Lists, searches, exports, synchronisation and checksums read.
public enum RowAction: String, Sendable, Hashable, CaseIterable {
    /// One kind of access to a row.
    case read, create, update, delete
}
