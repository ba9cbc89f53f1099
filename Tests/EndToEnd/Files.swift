import Foundation
import StrataTesting

/// Bytes of the file at `path`; 0 when there is none.
func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// The SHA-256 of a file in hexadecimal digits, by a program that is not ours.
func sha256(ofFileAt path: String) async throws -> String {
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let result = try await Program(
        "/usr/bin/env", ["sha256sum", path], environment: ["PATH": "/usr/bin:/bin"], folder: folder.path
    ).outcome()
    try require(result.status == 0, "sha256sum: \(result.err)")
    return String(result.out.prefix(64))
}

/// Writes bytes that cannot be compressed, and no holes.
///
/// - Parameter mebibytes: How many MiB.
func writeRandomFile(_ path: String, mebibytes: Int) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw EndToEndError("no file at \(path)")
    }
    let source = try FileHandle(forReadingFrom: URL(filePath: "/dev/urandom"))
    let target = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? target.close() }
    for _ in 0..<mebibytes {
        guard let piece = try source.read(upToCount: 1 << 20) else { throw EndToEndError("no random bytes") }
        try target.write(contentsOf: piece)
    }
}
