import Foundation

/// Returns once `condition` holds, which is looked at every 5 ms; gives up after 60 s.
func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < end else { throw EndToEndError("it never came to this: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Bytes of the file at `path`; 0 when there is none.
func fileSize(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
}

/// The SHA-256 of a file in hexadecimal digits, by a program that is not ours.
func sha256(ofFileAt path: String) async throws -> String {
    let folder = NSTemporaryDirectory() + "strata-digest-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = try await Program(
        "/usr/bin/env", ["sha256sum", path], environment: ["PATH": "/usr/bin:/bin"], folder: folder, input: nil
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
