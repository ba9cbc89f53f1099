import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataSystem

/// A received content that is not visible yet. Its file is deleted with this value, unless it is kept.
public final class StagedBlob: Sendable {
    public let id: String
    private let directory: String
    private let incoming: String
    private let permit: Permit
    private let state: Mutex<State>

    private struct State {
        /// Open as long as this value, so that `keep` returns the stamp of the written file.
        let descriptor: OpenFile
        var isStaged = true
        var size = 0
        var hash = SHA256()
        var digest = Data()
    }

    /// Blocks, like every function here.
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

    /// Synchronises the content to disk.
    func finish() throws {
        try state.withLock { state in
            try BlobError.naming("write", id) { () throws(Errno) in try state.descriptor.synchronize() }
            state.digest = Data(state.hash.finalize())
        }
    }

    /// Renames the file to its final name and synchronises the name to disk.
    ///
    /// - Returns: The state of the written file.
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
