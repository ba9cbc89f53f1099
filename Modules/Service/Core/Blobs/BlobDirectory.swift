import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataDomain
import StrataSystem

/// Stores contents as files of one directory, for a service of one process.
///
/// A file is written in another directory, synchronised to disk, and renamed. Files are never opened through a symbolic link.
public final class BlobDirectory: BlobStore {
    /// Where the folder is.
    public let path: String
    let pool: BlockingPool
    private let transfers: Permits
    let verified = VerifiedBlobs()
    /// The directory of files that are being received.
    var incoming: String { "\(path)/incoming" }

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

    public func writer(of id: String) async throws -> any BlobWriter {
        guard Self.isID(id) else { throw BlobError("create", id, .invalidArgument) }
        let permit = try transfers.takeForTransfer()
        return try await pool.run { [self] in
            try Self.createDirectory(incoming)
            guard (try? Stat(path: "\(path)/\(id)", following: false)) == nil else {
                throw BlobError("create", "\(path)/\(id)", .fileExists)
            }
            return try BlobFileWriter(id: id, in: self, permit: permit)
        }
    }

    public func remove(_ id: String) async throws {
        guard Self.isID(id) else { return }
        verified.remove(id)
        let files = ["\(path)/\(id)", "\(incoming)/\(id)"]
        try await pool.run {
            try BlobError.naming("remove", id) { () throws(Errno) in
                for file in files {
                    do throws(Errno) { try systemCall { unlink(file) } } catch {
                        if error != .noSuchFileOrDirectory { throw error }
                    }
                }
            }
        }
    }

    public func sweep(olderThan date: Date, referred: ReferredBlobs) async throws -> Int {
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
    public func open(_ id: String, size: Int, digest: Data) async throws -> any BlobReader {
        guard Self.isID(id) else { throw BlobError.lost(id) }
        let permit = try transfers.takeForTransfer()
        let file = "\(path)/\(id)"
        let reader = try await pool.run { [pool] in try BlobFileReader(path: file, pool: pool, permit: permit) }
        guard reader.size == size, let stamp = reader.stamp else { throw BlobError.damaged(file) }
        if verified.holds(id, as: stamp, digest) { return reader }
        var hash = SHA256()
        var place = 0
        // In parts, so that other transfers get a thread and cancellation takes effect.
        while place < size {
            let (offset, count, before) = (place, min(2 * BlobUpload.piece, size - place), hash)
            let (after, read) = try await pool.run {
                var hash = before
                let bytes = try reader.readBlocking(at: offset, count: count)
                bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                return (hash, bytes.readableBytes)
            }
            (hash, place) = (after, place + read)
        }
        guard Data(hash.finalize()) == digest else { throw BlobError.damaged(file) }
        // A file that changed in the meantime is verified again for the next reader.
        if reader.stamp == stamp { verified.insert(id, as: stamp, digest) }
        return reader
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

    /// Whether the text is a UUID in lower case. No other text becomes part of a path.
    private static func isID(_ text: String) -> Bool { UUID(uuidString: text)?.text == text }
}
