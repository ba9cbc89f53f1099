import Foundation
import StrataTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// This program, started again to run one test in the place that `environment` names.
func worker(running test: String, environment: [String: String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(
        fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["--testing-library", "swift-testing", "--filter", test]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
}

/// Adds a line in one write, which several processes may do at once.
func note(_ line: String, in path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array("\(line)\n".utf8)
    _ = write(descriptor, bytes, bytes.count)
}

func lines(_ name: String, in directory: String) -> [Substring] {
    let text = (try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
}

/// Waits for what other processes bring about; looks at the disk, at most for a minute.
func eventuallyOnDisk(_ what: Comment, _ condition: () async -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !condition() {
        guard .now < deadline else {
            Issue.record("never happened: \(what)")
            return
        }
        _ = poll(nil, 0, 5)
    }
}
