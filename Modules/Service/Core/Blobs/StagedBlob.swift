import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataSystem

/// A content that was received and is not visible yet; unless it is kept, its file goes away with this value.
public final class StagedBlob: Sendable {
    public let id: String
    private let directory: String
    private let incoming: String
    private let permit: Permit
    private let state: Mutex<State>

    private struct State {
        /// Open until the value goes away: by it `keep` knows that the file is still the one that was written.
        let descriptor: OpenFile
        var isStaged = true
        var size = 0
        var hash = SHA256()
        var digest = Data()
    }

    /// Blocks for the file system, like every function here but the properties.
    init(id: String, directory: String, incoming: String, permit: Permit) throws(BlobError) {
        let path = "\(incoming)/\(id)"
        let descriptor = try BlobError.naming("create", path) { () throws(Errno) in
            try openFile(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW)
        }
        self.id = id
        self.directory = directory
        self.incoming = incoming
        self.permit = permit
        state = Mutex(State(descriptor: descriptor))
    }

    deinit {
        state.withLock { state in
            state.descriptor.release()
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
                try BlobError.naming("write", "a content") { () throws(Errno) in try state.descriptor.append(readable) }
                state.hash.update(bufferPointer: readable)
            }
            state.size += bytes.readableBytes
        }
    }

    /// Brings the content to disk.
    func finish() throws {
        try state.withLock { state in
            try BlobError.naming("write", id) { () throws(Errno) in try state.descriptor.synchronize() }
            state.digest = Data(state.hash.finalize())
        }
    }

    /// Moves the content to its name, and brings that to disk.
    ///
    /// - Returns: The file that has the content whose digest was taken.
    func keep() throws -> FileStamp? {
        try state.withLock { state in
            let path = "\(directory)/\(id)"
            try BlobError.naming("move", path) { () throws(Errno) in try DurableFile(path).place("\(incoming)/\(id)") }
            state.isStaged = false
            try BlobError.naming("write", directory) { () throws(Errno) in try DurableFile(path).synchronizeName() }
            return try? Stat(state.descriptor).stamp
        }
    }
}
