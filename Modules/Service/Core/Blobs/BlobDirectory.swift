import Crypto
public import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataDomain
import StrataSystem

/// Contents too large for the database, as files under names of our own in one directory.
///
/// A content is whole or it is not there: it is written beside, brought to disk, and moved to its name. Who refers to it
/// writes that down afterwards, so a crash leaves at most a file that nobody refers to, which `sweep` removes. Files
/// are opened relative to the directory and never through a symbolic link.
public final class BlobDirectory: Sendable {
    public let path: String
    let pool: BlockingPool
    private let slots: TransferSlots
    private let verified = VerifiedBlobs()
    private var incoming: String { "\(path)/incoming" }

    /// - Parameters:
    ///   - path: Made with its missing parents, mode 0700, when first used.
    ///   - transfers: Contents that are written or read at a time; one more is 503. Default 256.
    public init(path: String, transfers: Int = 256) {
        self.path = path
        slots = TransferSlots(transfers)
        // A transfer waits for one thread at a time, so that none under way meets a full queue.
        pool = BlockingPool(threads: 4, queueLimit: max(1, transfers) + 64)
    }

    /// Makes the directory, so that a path that cannot be used is known at the start.
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

    /// Takes the content of a form's part in; it stays invisible, and goes away with the value returned, until `keep`.
    ///
    /// - Parameter limit: Largest content in bytes.
    /// - Throws: 413 above `limit`, 503 when too many transfers run, `BlobError`; what `form` throws.
    public func stage(_ form: UploadForm, limit: Int) async throws -> StagedBlob {
        let slot = try slots.take()
        let id = UUID().text
        let (path, incoming) = (path, incoming)
        let blob = try await pool.run {
            try Self.createDirectory(incoming)
            return try StagedBlob(id: id, directory: path, incoming: incoming, slot: slot)
        }
        var pending = ByteBuffer()
        var size = 0
        while let bytes = try await form.nextBytes() {
            size += bytes.readableBytes
            guard size <= limit else { throw RequestBodyReader.tooLarge(limit) }
            pending.writeImmutableBuffer(bytes)
            // A call to the disk for each packet would cost more than the disk.
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

    /// Makes a content permanent: when this returns, it outlives a power cut.
    ///
    /// - Throws: `BlobError`.
    public func keep(_ blob: StagedBlob) async throws {
        if let stamp = try await pool.run({ try blob.keep() }) { verified.insert(blob.id, as: stamp) }
    }

    /// - Throws: `BlobError`; a missing content is not one.
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

    /// Removes contents that nobody refers to.
    ///
    /// - Parameters:
    ///   - date: Younger contents stay, for their reference may be about to be written.
    ///   - referred: Which of the given ids, at most 500, are referred to.
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

    /// Opens a content that is what it was when it was stored; a file that this process has not compared with its digest
    /// since it changed is read once for that, before its first byte is sent.
    ///
    /// - Throws: `BlobError`, also for a content that is not there or is another one; 503 when too many transfers run.
    func open(_ id: String, size: Int, digest: Data) async throws -> BlobReader {
        guard Self.isID(id) else { throw BlobError("open", id, .noSuchFileOrDirectory, .lost) }
        let slot = try slots.take()
        let file = "\(path)/\(id)"
        let reader = try await pool.run { try BlobReader(path: file, slot: slot) }
        guard reader.size == size, let stamp = reader.stamp else { throw BlobError.damaged(file) }
        if verified.holds(id, as: stamp) { return reader }
        var hash = SHA256()
        var place = 0
        // Piece by piece, so that others get a thread and a caller that is gone ends it.
        while place < size {
            let (offset, count, before) = (place, min(8 * Self.chunk, size - place), hash)
            let (after, read) = try await pool.run {
                var hash = before
                let bytes = try reader.read(at: offset, count: count)
                bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                return (hash, bytes.readableBytes)
            }
            (hash, place) = (after, place + read)
        }
        guard Data(hash.finalize()) == digest else { throw BlobError.damaged(file) }
        // Written to in the meantime: it is compared again for the next reader.
        if reader.stamp == stamp { verified.insert(id, as: stamp) }
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

    /// Bytes of one call to the disk.
    static let chunk = 64 * 1024

    /// The form of a UUID in lower case: nothing else is ever part of a path.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// How many transfers run.
final class TransferSlots: Sendable {
    private let free: Mutex<Int>
    init(_ count: Int) { free = Mutex(max(1, count)) }

    /// - Throws: 503 when none is free.
    func take() throws -> Slot {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        guard isTaken else { throw ServiceError.unavailable("Too many files are under way.", seconds: 1) }
        return Slot(slots: self)
    }

    /// Held by what transfers; free again with its end.
    final class Slot: Sendable {
        private let slots: TransferSlots
        init(slots: TransferSlots) { self.slots = slots }
        deinit { slots.free.withLock { $0 += 1 } }
    }
}
