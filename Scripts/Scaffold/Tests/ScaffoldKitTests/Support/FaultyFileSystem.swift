import ScaffoldKit
import Synchronization

/// A file system on which one change goes wrong.
final class FaultyFileSystem: FileSystem {
    enum Fault: Sendable {
        /// The process ends at this change: half of it is done, and nothing after it.
        case kill
        /// The disk is full from this change on: files and folders can be moved and removed, not made.
        case full
        /// This change alone is not permitted.
        case denied
    }

    private let base: any FileSystem
    private let fault: Fault
    private let at: Int
    private let changes = Mutex(0)

    /// - Parameter at: The change that goes wrong, the first being 0; by default none.
    init(_ base: any FileSystem, _ fault: Fault, at: Int = .max) {
        self.base = base
        self.fault = fault
        self.at = at
    }

    /// Whether the change that goes wrong was reached.
    var isReached: Bool { changes.withLock { $0 > at } }

    /// - Returns: Whether the change is to be done.
    private func meet(makes: Bool) throws(FileFault) {
        let number = changes.withLock { changes in
            changes += 1
            return changes - 1
        }
        switch fault {
        case .kill where number >= at: throw FileFault("Killed.")
        case .full where number >= at && makes: throw FileFault("No space left on device.")
        case .denied where number == at: throw FileFault("Permission denied.")
        default: break
        }
    }

    func kind(of path: RelativePath) throws(FileFault) -> FileKind? { try base.kind(of: path) }
    func read(_ path: RelativePath) throws(FileFault) -> FileContents { try base.read(path) }
    func names(in folder: RelativePath) throws(FileFault) -> [String] { try base.names(in: folder) }

    func create(_ path: RelativePath, _ contents: FileContents) throws(FileFault) {
        do { try meet(makes: true) } catch {
            let isFirst = changes.withLock { $0 == at + 1 }
            if isFirst {
                let half = Array(contents.bytes.prefix(contents.bytes.count / 2))
                try base.create(
                    path,
                    FileContents(bytes: half, isExecutable: contents.isExecutable, isSecret: contents.isSecret))
            }
            throw error
        }
        try base.create(path, contents)
    }

    func move(_ path: RelativePath, to other: RelativePath) throws(FileFault) {
        try meet(makes: false)
        try base.move(path, to: other)
    }

    func remove(_ path: RelativePath) throws(FileFault) {
        try meet(makes: false)
        try base.remove(path)
    }

    func createFolder(_ path: RelativePath) throws(FileFault) {
        try meet(makes: true)
        try base.createFolder(path)
    }

    func link(_ path: RelativePath, to target: String) throws(FileFault) {
        try meet(makes: true)
        try base.link(path, to: target)
    }

    func flush() throws(FileFault) {
        try meet(makes: false)
        // No power is lost on a real disk here, and each call would take its time.
        if !(base is LocalFileSystem) { try base.flush() }
    }

    func removeFolder(_ path: RelativePath) throws(FileFault) {
        try meet(makes: false)
        try base.removeFolder(path)
    }
}
