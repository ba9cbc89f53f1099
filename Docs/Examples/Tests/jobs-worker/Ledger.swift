import Foundation
import StrataService

/// What the attempts of this process did and when, in a file of its own: a line each, by the clock that all processes share.
///
/// A process that was killed lived at least until its last line. So it writes one every 20 ms.
final class Ledger: Sendable {
    private let file: FileHandle

    init(in folder: String) throws {
        let path = "\(folder)/\(ProcessInfo.processInfo.processIdentifier).ledger"
        FileManager.default.createFile(atPath: path, contents: nil)
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
    }

    func note(_ event: String, _ run: JobRun) { write("\(event) \(run.id) \(run.attempt)") }

    func live() async throws {
        while true {
            write("alive - 0")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// One call of `write`, so lines of several threads stay whole.
    private func write(_ event: String) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let line = Array("\(event) \(Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec))\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(file.fileDescriptor, $0.baseAddress, $0.count) }
    }
}
