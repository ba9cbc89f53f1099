import FoundationEssentials

/// Whether a process of this machine, as this process sees it, has the id `process` and has not ended.
///
/// `true` also for a process of another user, and for one that took the id after another ended.
public func isRunning(process: Int32) -> Bool {
    guard process > 0, kill(process, 0) == 0 || errno == EPERM else { return false }
    // A process that ended keeps its id until its parent asks for the result. Linux: the state follows the name (proc(5)).
    guard let status = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
        let end = status.lastIndex(of: UInt8(ascii: ")")), end + 2 < status.endIndex
    else { return true }
    return !"ZX".utf8.contains(status[end + 2])
}

/// Blocks the current thread.
public func pauseThread(milliseconds: UInt32) { usleep(milliseconds * 1000) }
