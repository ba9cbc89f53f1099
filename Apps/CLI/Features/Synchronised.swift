// scaffold:begin imports
import StrataOffline
import StrataTerminal

// scaffold:end imports

/// A collection of the offline store; `Scripts/new-feature` adds a row for each feature that
/// works offline.
struct Synchronised: Sendable {
    let collection: OfflineCollection
    /// The first part of its path below `/v1`: a synchronisation invalidates its cached responses.
    let path: String

    static let all = rows {
        // scaffold:begin synchronised
        journal
        // scaffold:end synchronised
    }

    /// The answer of commands about synchronisation in a service where nothing is synchronised.
    static func tellNone(_ console: Console) throws {
        let text = StatusTools.nothingOffline
        try console.show(["message": text]) { console.out(text) }
    }

    /// Rows are written without commas, so that there may be any number.
    private static func rows(@Rows _ list: () -> [Synchronised]) -> [Synchronised] { list() }

    @resultBuilder private enum Rows {
        static func buildBlock(_ rows: Synchronised...) -> [Synchronised] { rows }
    }
}
