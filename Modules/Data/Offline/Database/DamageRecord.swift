import FoundationEssentials
import StrataDomain
import StrataSystem

/// A note beside a damaged database, so that no later process writes into it. It is valid for that file only, not for a
/// restored or new one in its place.
struct DamageRecord {
    let path: String

    private var notePath: String { "\(path).damage" }

    /// Whether there is a note, for this file or an earlier one.
    var isThere: Bool { access(notePath, F_OK) == 0 }

    /// The message of SQLite about the present file; `nil` when no damage is known.
    ///
    /// - Parameter isSound: Called when the file was written after the note: it may have been repaired in place.
    func text(unless isSound: () -> Bool) -> String? {
        guard let note = try? String(decoding: Data(contentsOf: URL(filePath: notePath)), as: UTF8.self) else {
            return nil
        }
        let parts = note.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let now = FileStamp(path), parts[0] == now.identity else {
            unlink(notePath)
            return nil
        }
        guard parts[1] != now.content else { return parts[2] }
        if isSound() {
            unlink(notePath)
            return nil
        }
        keep(parts[2])
        return parts[2]
    }

    /// Keeps the note, on the disk when this returns. A disk without space has none, and finds the damage again.
    func keep(_ text: String) {
        guard let stamp = FileStamp(path) else { return }
        try? DurableFile(notePath).replace(with: "\(stamp.identity)\n\(stamp.content)\n\(text)".utf8)
    }
}

/// Which file it is, and as it was last written.
private struct FileStamp {
    let identity: String
    let content: String

    init?(_ path: String) {
        guard let status = try? Stat(path: path, following: true) else { return nil }
        let stamp = status.stamp
        identity = "\(stamp.identity.inode)"
        content = "\(stamp.size) \(stamp.modified[0]).\(stamp.modified[1])"
    }
}
