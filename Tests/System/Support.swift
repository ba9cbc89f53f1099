import Foundation
import StrataSystem

/// A directory of a test, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "strata-system-\(UUID().text)"
        try PrivateDirectory(path).create()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// Runs `body` while files are created with exactly the permissions that are asked for.
///
/// Suites that use it are serialised: the umask is one for the process.
func withUmask<Result>(_ mask: mode_t, _ body: () throws -> Result) rethrows -> Result {
    let old = umask(mask)
    defer { umask(old) }
    return try body()
}
