import StrataOffline

/// A collection that is kept here and synchronised with the server; `Scripts/new-feature` writes a row for each feature that
/// works offline.
struct Synchronised: Sendable {
    let collection: OfflineCollection
    /// The first part of its path below `/v1`: synchronising changes what is cached of it.
    let path: String

    static let all = rows {
        // scaffold:begin synchronised
        journal
        // scaffold:end synchronised
    }

    /// Rows stand one below the other without commas, so that there may be any number of them.
    private static func rows(@Rows _ list: () -> [Synchronised]) -> [Synchronised] { list() }

    @resultBuilder private enum Rows {
        static func buildBlock(_ rows: Synchronised...) -> [Synchronised] { rows }
    }
}
