import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A content that was received and is not visible yet; unless it is kept, its file goes away with this value.
public final class StagedBlob: Sendable {
    public let id: String
    private let directory: String
    private let incoming: String
    private let slot: TransferSlots.Slot
    private let state: Mutex<State>

    private struct State {
        /// Open until the content is kept, which knows by it that the file is still the one that was written.
        var descriptor: CInt
        var isStaged = true
        var size = 0
        var hash = SHA256()
        var digest = Data()
    }

    /// Blocks for the file system, like every function here but the properties.
    init(id: String, directory: String, incoming: String, slot: TransferSlots.Slot) throws(BlobError) {
        let path = "\(incoming)/\(id)"
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw BlobError("create", path, errno) }
        self.id = id
        self.directory = directory
        self.incoming = incoming
        self.slot = slot
        state = Mutex(State(descriptor: descriptor))
    }

    deinit {
        state.withLock { state in
            if state.descriptor >= 0 { close(state.descriptor) }
            if state.isStaged { unlink("\(incoming)/\(id)") }
        }
    }

    /// Bytes of the content.
    public var size: Int { state.withLock { $0.size } }

    /// SHA-256 of the content; empty before it is complete.
    public var digest: Data { state.withLock { $0.digest } }

    func append(_ bytes: ByteBuffer) throws {
        try state.withLock { state in
            try bytes.withUnsafeReadableBytes { readable in
                try FileCalls.write(readable, to: state.descriptor)
                state.hash.update(bufferPointer: readable)
            }
            state.size += bytes.readableBytes
        }
    }

    /// Brings the content to disk.
    func finish() throws {
        try state.withLock { state in
            guard fsync(state.descriptor) == 0 else { throw BlobError("write", id, errno) }
            state.digest = Data(state.hash.finalize())
        }
    }

    /// Moves the content to its name, and brings that to disk.
    ///
    /// - Returns: The file that has the content whose digest was taken.
    func keep() throws -> BlobStamp? {
        try state.withLock { state in
            let path = "\(directory)/\(id)"
            guard rename("\(incoming)/\(id)", path) == 0 else { throw BlobError("move", path, errno) }
            state.isStaged = false
            try FileCalls.synchronize(directory: directory)
            return BlobStamp(state.descriptor)
        }
    }
}
