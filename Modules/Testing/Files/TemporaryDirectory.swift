public import FoundationEssentials

/// A directory for one test, of mode 0700; it is removed with this value.
public final class TemporaryDirectory: Sendable {
    /// Where the folder is.
    public let path: String

    /// A new, empty folder, readable by its user only.
    public init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "strata-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name`, whether there is a file or not.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes the file `name`.
    ///
    /// - Returns: Its path.
    @discardableResult
    public func write(_ name: String, _ content: Data) throws -> String {
        try content.write(to: URL(filePath: file(name)))
        return file(name)
    }

    /// The bytes of the file `name`; `nil` when it cannot be read.
    public func content(_ name: String) -> Data? { try? Data(contentsOf: URL(filePath: file(name))) }

    /// Names in the directory, sorted.
    public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// Runs `body` with the path of a directory of its own, and removes the directory afterwards.
public func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
}
