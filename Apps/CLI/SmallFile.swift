import FoundationEssentials
import Glibc
import SystemPackage

/// A file that fits into memory: the settings, what is remembered of an account, or certificates.
struct SmallFile: Sendable {
    let path: String
    /// Bytes that are accepted.
    var limit = 1 << 16

    /// The content; `nil` when there is no file. Foundation's way to read one takes longer than all the rest of it.
    ///
    /// - Throws: For what is there but cannot be read, is no regular file, or is larger than `limit`.
    func read() throws(UnreadableFile) -> Data? {
        do {
            // Without waiting: nobody may ever write to a pipe.
            let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
            return try file.closeAfter { try content(of: file) }
        } catch let error as UnreadableFile {
            throw error
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return nil }
            throw UnreadableFile(description: "\(error)", isForbidden: error == .permissionDenied)
        } catch {
            throw UnreadableFile(description: "\(error)")
        }
    }

    private func content(of file: FileDescriptor) throws -> Data {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw UnreadableFile(description: "Not a regular file") }
        var bytes = Data(count: limit + 1)
        var count = 0
        while count < bytes.count {
            let more = try bytes.withUnsafeMutableBytes {
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }
            guard more > 0 else { return bytes.prefix(count) }
            count += more
        }
        throw UnreadableFile(description: "Larger than \(limit) bytes")
    }
}

/// Why a file cannot be read, in the system's words: `Permission denied`.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String
    /// Whether the rights of the file or of a directory above it forbid it.
    var isForbidden = false
}
