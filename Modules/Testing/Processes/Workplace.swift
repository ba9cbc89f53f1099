import FoundationEssentials
import StrataSystem

/// A directory where a test and its worker processes leave lines for each other.
public struct Workplace: Sendable {
    static let variable = "STRATA_TEST_WORKPLACE"

    /// The place of this process; `nil` in a process that is no worker.
    public static let ofWorker = ProcessInfo.processInfo.environment[variable].map(Workplace.init)

    /// Where the folder is.
    public let path: String

    /// The folder at `path`, which exists.
    public init(_ path: String) { self.path = path }

    /// The path of `name`, whether there is a file or not.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Adds a line to the file `name` in one write, so that several processes may do it at once. A line that cannot be
    /// written is lost, and the test that waits for it fails.
    public func note(_ line: String, in name: String) {
        guard let descriptor = try? openFile(file(name), O_WRONLY | O_CREAT | O_APPEND) else { return }
        defer { descriptor.release() }
        try? descriptor.append("\(line)\n".utf8)
    }

    /// The lines of the file `name`; none without a file.
    public func lines(_ name: String) -> [String] {
        let content = FileManager.default.contents(atPath: file(name)) ?? Data()
        return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Removes a file.
    public func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    /// Whether there is a file with this name.
    public func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}

extension TemporaryDirectory {
    /// This directory for worker processes.
    public var workplace: Workplace { Workplace(path) }
}
