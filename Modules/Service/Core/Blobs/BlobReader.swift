import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An open content; closed with the end of this value, whoever gave up first.
final class BlobReader: Sendable {
    private let descriptor: CInt
    private let slot: TransferSlots.Slot
    /// Bytes of the file.
    let size: Int

    /// Blocks for the file system, like every function here.
    init(path: String, slot: TransferSlots.Slot) throws(BlobError) {
        // Not blocking: opening a pipe waits for its writer otherwise. For a regular file it means nothing.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw switch errno {
            case ENOENT: BlobError("open", path, ENOENT, .lost)
            // A symbolic link, a socket.
            case ELOOP, ENXIO: .damaged(path)
            default: BlobError("open", path, errno)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .damaged(path)
        }
        self.descriptor = descriptor
        self.slot = slot
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The file as it is now.
    var stamp: BlobStamp? { BlobStamp(descriptor) }

    /// Bytes from `offset`, at least one and at most `count`.
    ///
    /// - Throws: `BlobError`, also at the end of the file.
    func read(at offset: Int, count: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        var failure: CInt = 0
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            while true {
                let read = pread(descriptor, space.baseAddress, count, off_t(offset))
                if read >= 0 { return read }
                if errno != EINTR {
                    failure = errno
                    return 0
                }
            }
        }
        guard read > 0 else { throw BlobError("read", "a content", failure == 0 ? EIO : failure) }
        return buffer
    }
}
