import Foundation

/// Runs `body` with a directory of its own, and removes it.
func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "strata-service-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url.path)
}

/// The permission bits of a file.
func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? Int) ?? -1
}
