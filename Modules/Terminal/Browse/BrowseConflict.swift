import FoundationEssentials
import StrataDomain

/// Both sides of a conflict, as `conflicts show` has them.
struct BrowseConflict: Sendable {
    let id: SyncConflict.ID
    private let reason: String
    private let sides: Table

    init(_ conflict: SyncConflict) {
        (id, reason, sides) = (conflict.id, conflict.reason, ConflictShowCommand.sides(of: conflict))
    }

    func screen(_ size: ScreenSize, times: TimeText, now: Date) -> [Text] {
        [Text("Changed here and on the server", .bold)]
            + WrappedText.lines(reason, width: size.width).map { Text($0) } + [Text("")]
            + sides.texts(width: size.width, times: times, now: now)
    }
}
