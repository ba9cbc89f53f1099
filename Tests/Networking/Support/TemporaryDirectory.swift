import FoundationEssentials

/// A directory for one test, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path() + "/strata-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name`, and a file there when there is content for it.
    @discardableResult
    func file(_ name: String, _ content: Data? = nil) throws -> String {
        let place = "\(path)/\(name)"
        if let content { try content.write(to: URL(filePath: place)) }
        return place
    }

    func content(_ name: String) -> Data? { try? Data(contentsOf: URL(filePath: "\(path)/\(name)")) }

    /// Names in the directory, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
