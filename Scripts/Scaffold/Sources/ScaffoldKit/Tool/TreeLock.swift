import Glibc

/// One run of the tool at a time in a tree; the system releases the lock when the process ends, however it ends.
package enum TreeLock {
    /// - Throws: A refusal when another run holds it, and what `body` throws.
    package static func held<Result>(
        root: String, _ body: () throws(ScaffoldRefusal) -> Result
    ) throws(ScaffoldRefusal) -> Result {
        let folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw ScaffoldRefusal("'\(root.printable)' is no folder; give the absolute path of one.", .usage)
        }
        defer { close(folder) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            throw ScaffoldRefusal("Another run is at work in '\(root.printable)'; run this again when it is over.")
        }
        return try body()
    }
}
