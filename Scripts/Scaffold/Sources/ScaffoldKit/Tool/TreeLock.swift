import Glibc

/// Holds a tree for one run of the tool; given back by the system when the process ends, however it ends.
package struct TreeLock: ~Copyable {
    private let folder: Int32

    /// - Throws: A refusal when another run holds it.
    package init(root: String) throws(ScaffoldRefusal) {
        folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw ScaffoldRefusal("'\(root.printable)' is no folder; give the absolute path of one.")
        }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            throw ScaffoldRefusal("Another run is at work in '\(root.printable)'; run this again when it is over.")
        }
    }

    deinit { close(folder) }
}
