import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataDomain
import StrataSystem

/// Stores contents that are too large for the database as files of one directory, under generated names.
///
/// A content is complete or absent: it is written to another directory, synchronised to disk, and renamed. Its reference is
/// written afterwards, so a crash leaves at most an unreferenced file, which `sweep` removes. Files are never opened through
/// a symbolic link.
public final class BlobDirectory: Sendable {
    public let path: String
    let pool: BlockingPool
    private let transfers: Permits
    private let verified = VerifiedBlobs()
    private var incoming: String { "\(path)/incoming" }

    /// - Parameters:
    ///   - path: Created with its missing parents, mode 0700, on first use.
    ///   - transfers: Contents that are written or read at once; one more is 503. Default 256.
    public init(path: String, transfers: Int = 256) {
        self.path = path
        self.transfers = Permits(limit: transfers)
        // Each transfer waits for one thread at a time, so a running transfer never finds the queue full.
        pool = BlockingPool(threads: 4, queueLimit: max(1, transfers) + 64)
    }

    /// Creates the directory, so that an unusable path is reported at the start.
    ///
    /// - Throws: `BlobError`.
    public func prepare() async throws {
        let incoming = incoming
        try await pool.run {
            try Self.createDirectory(incoming)
            try BlobError.naming("write to", incoming) { () throws(Errno) in
                try systemCall { access(incoming, W_OK | X_OK) }
            }
        }
    }

    /// Receives the content of a part of a form. It is invisible, and is deleted with the returned value, until `keep`.
    ///
    /// - Parameter limit: Largest content in bytes.
    /// - Throws: 413 above `limit`, 503 when too many transfers run, `BlobError`; what `form` throws.
    public func stage(_ form: UploadForm, limit: Int) async throws -> StagedBlob {
        let permit = try transferPermit()
        let id = UUID().text
        let (path, incoming) = (path, incoming)
        let blob = try await pool.run {
            try Self.createDirectory(incoming)
            return try StagedBlob(id: id, directory: path, incoming: incoming, permit: permit)
        }
        var pending = ByteBuffer()
        var size = 0
        while let bytes = try await form.nextBytes() {
            size += bytes.readableBytes
            guard size <= limit else { throw ServiceError.bodyTooLarge(limit) }
            pending.writeImmutableBuffer(bytes)
            // One system call for each packet would cost more than the write.
            if pending.readableBytes >= Self.chunk {
                let chunk = pending
                try await pool.run { try blob.append(chunk) }
                pending.clear()
            }
        }
        let rest = pending
        try await pool.run {
            try blob.append(rest)
            try blob.finish()
        }
        return blob
    }

    /// Makes a content permanent and durable before it returns.
    ///
    /// - Throws: `BlobError`.
    public func keep(_ blob: StagedBlob) async throws {
        if let stamp = try await pool.run({ try blob.keep() }) { verified.insert(blob.id, as: stamp) }
    }

    /// - Throws: `BlobError`; not for a missing content.
    public func remove(_ id: String) async throws {
        guard Self.isID(id) else { return }
        verified.remove(id)
        let path = path
        try await pool.run {
            try BlobError.naming("remove", id) { () throws(Errno) in
                do throws(Errno) { try systemCall { unlink("\(path)/\(id)") } } catch {
                    if error != .noSuchFileOrDirectory { throw error }
                }
            }
        }
    }

    /// Removes unreferenced contents.
    ///
    /// - Parameters:
    ///   - date: Younger contents stay, because their reference may not be written yet.
    ///   - referred: Returns which of the given ids, at most 500, are referenced.
    /// - Returns: How many were removed.
    public func sweep(
        olderThan date: Date, referred: ([String]) async throws -> Set<String>
    ) async throws -> Int {
        let (path, incoming) = (path, incoming)
        let limit = Int(date.timeIntervalSince1970.rounded(.down))
        var removed = try await pool.run {
            let abandoned = Self.names(in: incoming, olderThan: limit)
            return abandoned.count { unlink("\(incoming)/\($0)") == 0 }
        }
        var rest = try await pool.run { Self.names(in: path, olderThan: limit).filter(Self.isID) }[...]
        while !rest.isEmpty {
            let ids = Array(rest.prefix(500))
            rest = rest.dropFirst(ids.count)
            let orphans = Set(ids).subtracting(try await referred(ids))
            removed += try await pool.run { orphans.count { unlink("\(path)/\($0)") == 0 } }
        }
        return removed
    }

    /// Opens a content after its digest is verified. The file is read for that once in this process, and again after each
    /// change of the file.
    ///
    /// - Throws: `BlobError`, also for a missing or damaged content; 503 when too many transfers run.
    func open(_ id: String, size: Int, digest: Data) async throws -> BlobReader {
        guard Self.isID(id) else { throw BlobError("open", id, .noSuchFileOrDirectory, .lost) }
        let permit = try transferPermit()
        let file = "\(path)/\(id)"
        let reader = try await pool.run { try BlobReader(path: file, permit: permit) }
        guard reader.size == size, let stamp = reader.stamp else { throw BlobError.damaged(file) }
        if verified.holds(id, as: stamp) { return reader }
        var hash = SHA256()
        var place = 0
        // In chunks, so that other transfers get a thread and cancellation takes effect.
        while place < size {
            let (offset, count, before) = (place, min(2 * Self.chunk, size - place), hash)
            let (after, read) = try await pool.run {
                var hash = before
                let bytes = try reader.read(at: offset, count: count)
                bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                return (hash, bytes.readableBytes)
            }
            (hash, place) = (after, place + read)
        }
        guard Data(hash.finalize()) == digest else { throw BlobError.damaged(file) }
        // A file that changed in the meantime is verified again for the next reader.
        if reader.stamp == stamp { verified.insert(id, as: stamp) }
        return reader
    }

    /// - Throws: 503 when too many transfers run.
    private func transferPermit() throws -> Permit {
        guard let permit = transfers.take() else {
            throw ServiceError.unavailable("Too many files are in transfer.", seconds: 1)
        }
        return permit
    }

    private static func createDirectory(_ path: String) throws(BlobError) {
        try BlobError.naming("create the directory", path) { () throws(Errno) in try PrivateDirectory(path).create() }
    }

    /// Regular files last written before a time, in seconds since 1970; none where there is no directory.
    private static func names(in path: String, olderThan seconds: Int) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { name in
            guard let status = try? Stat(path: "\(path)/\(name)", following: false), status.isRegular else {
                return false
            }
            return status.modifiedSeconds < seconds
        }
    }

    /// Bytes of one read or write, each of which takes a hop to a thread that may block.
    static let chunk = 256 * 1024

    /// Whether the text is a UUID in lower case. No other text becomes part of a path.
    private static func isID(_ text: String) -> Bool { UUID(uuidString: text)?.text == text }
}
