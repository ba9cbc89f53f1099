import NIOCore
import StrataConcurrency
import StrataSystem

/// An open file, closed when the value is deallocated.
final class BlobFileReader: BlobReader {
    private let descriptor: OpenFile
    private let pool: BlockingPool
    private let permit: Permit
    /// Bytes of the file.
    let size: Int

    /// Blocks on the file system.
    init(path: String, pool: BlockingPool, permit: Permit) throws(BlobError) {
        let descriptor: OpenFile
        do throws(Errno) {
            // O_NONBLOCK, because opening a pipe would wait for its writer. It has no effect on regular files.
            descriptor = try openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw switch error {
            case .noSuchFileOrDirectory: BlobError("open", path, error, .lost)
            // A symbolic link or a socket.
            case .tooManySymbolicLinkLevels, .noSuchAddressOrDevice: .damaged(path)
            default: BlobError("open", path, error)
            }
        }
        guard let status = try? Stat(descriptor), status.isRegular else {
            descriptor.release()
            throw .damaged(path)
        }
        self.descriptor = descriptor
        self.pool = pool
        self.permit = permit
        size = Int(status.size)
    }

    deinit { descriptor.release() }

    /// The current state of the file.
    var stamp: FileStamp? { try? Stat(descriptor).stamp }

    func read(at offset: Int, count: Int) async throws -> ByteBuffer {
        try await pool.run { [self] in try readBlocking(at: offset, count: count) }
    }

    /// Blocks on the file system; otherwise as `read`.
    func readBlocking(at offset: Int, count: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        do {
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
                try descriptor.read(
                    fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(rebasing: space[..<count]))
            }
        } catch {
            throw BlobError("read", "a content", error as? Errno ?? .ioError)
        }
        guard buffer.readableBytes > 0 else { throw BlobError("read", "a content", .ioError) }
        return buffer
    }
}
