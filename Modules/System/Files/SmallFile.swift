public import FoundationEssentials

/// A file that fits into memory: settings, or certificates.
public struct SmallFile: Sendable {
    /// Where the file is.
    public let path: String
    private let limit: Int

    /// - Parameter limit: Bytes that are accepted.
    public init(_ path: String, limit: Int = 1 << 16) {
        self.path = path
        self.limit = limit
    }

    /// The content; `nil` when there is no file.
    ///
    /// - Throws: For a file that cannot be read, is no regular file, or is larger than the limit.
    public func read() throws(UnreadableFile) -> Data? {
        let notRegular = Errno.invalidArgument
        do throws(Errno) {
            // Without waiting: a pipe may have no writer.
            let file = try openFile(path, O_RDONLY | O_NONBLOCK)
            defer { file.release() }
            guard try Stat(file).isRegular else { throw notRegular }
            return try file.readAll(limit: limit)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case notRegular: throw UnreadableFile(description: "Not a regular file", isForbidden: false)
            case .fileTooLarge: throw UnreadableFile(description: "Larger than \(limit) bytes", isForbidden: false)
            default: throw UnreadableFile(description: "\(error)", isForbidden: error == .permissionDenied)
            }
        }
    }
}

/// Why a file cannot be read, in the system's words: `Permission denied`.
public struct UnreadableFile: Error, CustomStringConvertible {
    public let description: String
    /// Whether the rights of the file or of a directory above it forbid it.
    public let isForbidden: Bool
}
