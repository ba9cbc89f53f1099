import NIOCore
import StrataSystem

/// An open content; closed with the end of this value, whoever gave up first.
final class BlobReader: Sendable {
    private let descriptor: OpenFile
    private let slot: TransferSlots.Slot
    /// Bytes of the file.
    let size: Int

    /// Blocks for the file system, like every function here.
    init(path: String, slot: TransferSlots.Slot) throws(BlobError) {
        let descriptor: OpenFile
        do throws(Errno) {
            // Not blocking: opening a pipe waits for its writer otherwise. For a regular file it means nothing.
            descriptor = try openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            throw switch error {
            case .noSuchFileOrDirectory: BlobError("open", path, error, .lost)
            // A symbolic link, a socket.
            case .tooManySymbolicLinkLevels, .noSuchAddressOrDevice: .damaged(path)
            default: BlobError("open", path, error)
            }
        }
        guard let status = try? Stat(descriptor), status.isRegular else {
            descriptor.release()
            throw .damaged(path)
        }
        self.descriptor = descriptor
        self.slot = slot
        size = Int(status.size)
    }

    deinit { descriptor.release() }

    /// The file as it is now.
    var stamp: FileStamp? { try? Stat(descriptor).stamp }

    /// Bytes from `offset`, at least one and at most `count`.
    ///
    /// - Throws: `BlobError`, also at the end of the file.
    func read(at offset: Int, count: Int) throws -> ByteBuffer {
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
