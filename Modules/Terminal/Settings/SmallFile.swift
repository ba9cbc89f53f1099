import FoundationEssentials
import StrataSystem

/// A file that fits into memory: the settings, what is remembered of an account, or certificates.
struct SmallFile: Sendable {
    let path: String
    /// Bytes that are accepted.
    var limit = 1 << 16

    /// The content; `nil` when there is no file. Foundation's way to read one takes longer than all the rest of it.
    ///
    /// - Throws: For what is there but cannot be read, is no regular file, or is larger than `limit`.
    func read() throws(UnreadableFile) -> Data? {
        do throws(Errno) {
            // Without waiting: a pipe may have no writer.
            let file = try openFile(path, O_RDONLY | O_NONBLOCK)
            defer { file.release() }
            guard try Stat(file).isRegular else { throw UnreadableFile.notRegular }
            return try file.readAll(limit: limit)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case UnreadableFile.notRegular: throw UnreadableFile(description: "Not a regular file")
            case .fileTooLarge: throw UnreadableFile(description: "Larger than \(limit) bytes")
            default: throw UnreadableFile(description: "\(error)", isForbidden: error == .permissionDenied)
            }
        }
    }
}

/// Why a file cannot be read, in the system's words: `Permission denied`.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String
    /// Whether the rights of the file or of a directory above it forbid it.
    var isForbidden = false

    /// What `SmallFile` answers for a pipe or a directory; opening a file for reading does not fail with it.
    fileprivate static let notRegular = Errno.invalidArgument
}
