import FoundationEssentials

/// A process of this machine: its id and its start, which tell it from a later process with the same id.
public struct RunningProcess: Sendable, Hashable {
    /// The id of the process.
    public let id: Int32
    /// Clock ticks since the boot of the machine; 0 where it is not known.
    public let start: Int64

    /// This process.
    public static let current = RunningProcess(id: getpid(), start: ProcessStatus(of: getpid())?.start ?? 0)

    /// A process that was noted before, for instance in a file.
    public init(id: Int32, start: Int64) {
        self.id = id
        self.start = start
    }

    /// Whether the process can go on by itself: it has not ended, no signal or debugger has stopped it, and no other process
    /// has its id now.
    public var isActive: Bool {
        guard isRunning(process: id) else { return false }
        guard let status = ProcessStatus(of: id) else { return true }
        return !status.isStopped && (start == 0 || status.start == start)
    }
}

/// Whether a process of this machine, as this process sees it, has the id `process` and has not ended.
///
/// `true` also for a process of another user, and for one that took the id after another ended.
public func isRunning(process: Int32) -> Bool {
    guard process > 0, kill(process, 0) == 0 || errno == EPERM else { return false }
    // A process that ended keeps its id until its parent asks for the result.
    return ProcessStatus(of: process)?.hasEnded != true
}

/// The line of the kernel about a process (proc(5), `/proc/PID/stat`).
private struct ProcessStatus {
    private let state: UInt8
    let start: Int64

    /// `nil` where there is no such line.
    init?(of process: Int32) {
        guard let line = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
            // The name before it may have spaces and brackets.
            let end = line.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        // The state is field 3, the start field 22.
        guard fields.count > 19, let state = fields[0].first,
            let start = Int64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        (self.state, self.start) = (state, start)
    }

    var hasEnded: Bool { "ZX".utf8.contains(state) }
    var isStopped: Bool { "Tt".utf8.contains(state) }
}

/// Blocks the current thread.
public func pauseThread(milliseconds: UInt32) { usleep(milliseconds * 1000) }
