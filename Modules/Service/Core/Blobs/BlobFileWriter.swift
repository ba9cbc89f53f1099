import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataSystem

/// Writes a content into a file of another directory, which `keep` renames.
final class BlobFileWriter: BlobWriter {
    private let id: String
    private let directory: BlobDirectory
    private let permit: Permit
    /// Open as long as this value, so that `keep` can tell the stamp of the written file.
    private let descriptor: OpenFile
    private let isStaged = Mutex(true)

    private var staged: String { "\(directory.incoming)/\(id)" }

    /// Blocks on the file system.
    init(id: String, in directory: BlobDirectory, permit: Permit) throws(BlobError) {
        let path = "\(directory.incoming)/\(id)"
        descriptor = try BlobError.naming("create", path) { () throws(Errno) in
            try openFile(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW)
        }
        self.id = id
        self.directory = directory
        self.permit = permit
    }

    deinit { descriptor.release() }

    func append(_ piece: ByteBuffer) async throws {
        try await directory.pool.run { [self] in try write(piece) }
    }

    func keep(_ rest: ByteBuffer, size: Int, digest: Data) async throws {
        let stamp = try await directory.pool.run { [self] in
            try write(rest)
            try BlobError.naming("write", id) { () throws(Errno) in try descriptor.synchronize() }
            let path = "\(directory.path)/\(id)"
            try BlobError.naming("move", path) { () throws(Errno) in try DurableFile(path).place(staged) }
            isStaged.withLock { $0 = false }
            try BlobError.naming("write", directory.path) { () throws(Errno) in
                try DurableFile(path).synchronizeName()
            }
            return try? Stat(descriptor).stamp
        }
        if let stamp { directory.verified.insert(id, as: stamp, digest) }
    }

    func discard() async {
        // After a rename that could not be made durable, the content has its final name.
        let path = isStaged.withLock { $0 } ? staged : "\(directory.path)/\(id)"
        _ = try? await directory.pool.run { unlink(path) }
    }

    private func write(_ bytes: ByteBuffer) throws {
        try bytes.withUnsafeReadableBytes { readable in
            try BlobError.naming("write", "a content") { () throws(Errno) in try descriptor.append(readable) }
        }
    }
}
