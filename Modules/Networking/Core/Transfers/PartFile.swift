import Crypto
import FoundationEssentials
import StrataDomain
import StrataSystem

/// The part file of a download, beside its destination: locked against other processes, with its record in a second file.
///
/// Works off the cooperative pool.
actor PartFile {
    /// Writes bytes at the end of a file.
    typealias Write = @Sendable (FileDescriptor, Data) throws(Errno) -> Void

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let destination: String
    private let path: String
    private let write: Write
    /// `nil` after the lock was ended.
    private var descriptor: FileDescriptor?
    /// Bytes of the part.
    private(set) var size: Int64

    private var recordPath: String { path + ".json" }

    private init(_ locked: LockedFile, write: @escaping Write, executor: BlockingExecutor) {
        destination = locked.destination
        self.write = write
        self.executor = executor
        path = locked.path
        descriptor = locked.descriptor
        size = locked.size
    }

    deinit { descriptor?.release() }

    /// Opens and locks the part of `destination`; makes an empty one when there is none.
    ///
    /// - Throws: `.storage` when the destination cannot be replaced, or another process downloads to it.
    static func open(
        for destination: String, write: @escaping Write = append
    ) async throws(NetworkError) -> PartFile {
        let executor = BlockingExecutor()
        return try await runBlocking { () throws(NetworkError) in
            PartFile(try LockedFile(for: destination), write: write, executor: executor)
        }
    }

    /// What an earlier run left for `destination`, without taking the lock.
    static func beginning(of destination: String) async -> DownloadBeginning? {
        guard let path = try? LinkTarget.path(of: destination) + ".part" else { return nil }
        return await runBlocking {
            guard let status = ownFile(at: path), status.size > 0,
                record(at: path + ".json")?.validator != nil
            else { return nil }
            return DownloadBeginning(path: path, bytes: status.size)
        }
    }

    /// Adds bytes at the end of a file.
    static let append: Write = { descriptor, bytes throws(Errno) in try descriptor.append(bytes) }

    /// - Returns: `nil` for anything but a regular file of this user with one name.
    private static func ownFile(at path: String) -> Stat? {
        guard let status = try? Stat(path: path, following: false), status.isRegular, status.isOwnedByUser,
            status.linkCount == 1
        else { return nil }
        return status
    }

    /// The record beside the part; `nil` when there is none, or it is damaged or another user's.
    func record() -> PartRecord? { Self.record(at: recordPath) }

    private static func record(at path: String) -> PartRecord? {
        guard let status = ownFile(at: path), status.size <= 64 * 1024,
            let bytes = try? Data(contentsOf: URL(filePath: path))
        else { return nil }
        guard let record = try? JSONDecoder().decode(PartRecord.self, from: bytes), record.isUsable else { return nil }
        return record
    }

    /// Empties the part for content that `record` describes. The part is empty on the disk before the record is there.
    func begin(_ record: PartRecord) throws(NetworkError) {
        do throws(Errno) {
            try truncate()
            try opened().synchronize()
        } catch { throw failure("written", error) }
        try note(record)
    }

    /// Replaces the record.
    func note(_ record: PartRecord) throws(NetworkError) {
        let bytes = (try? JSONEncoder().encode(record)) ?? Data()
        do throws(Errno) {
            // The lock of the part makes this process the only writer of the record.
            try DurableFile(recordPath).replace(with: bytes, through: recordPath + ".tmp")
        } catch { throw failure("written", error) }
    }

    func append(_ bytes: Data) throws(NetworkError) {
        do throws(Errno) {
            try write(opened(), bytes)
            size += Int64(bytes.count)
        } catch {
            // The bytes that were written stay.
            size = descriptor.flatMap { try? Stat($0) }?.size ?? size
            throw failure("written", error)
        }
    }

    /// Drops the bytes and their record.
    func reset() throws(NetworkError) {
        unlink(recordPath)
        do { try truncate() } catch { throw failure("written", error) }
    }

    /// The digest of the bytes on the disk.
    func digest(_ algorithm: ContentDigest.Algorithm) throws(NetworkError) -> ContentDigest {
        switch algorithm {
        case .sha256: try digest(SHA256(), algorithm)
        case .sha512: try digest(SHA512(), algorithm)
        }
    }

    /// Replaces the destination with the part, durably, and ends the lock.
    func finish() throws(NetworkError) {
        guard isInPlace else {
            // The record does not describe the other file.
            unlink(recordPath)
            throw NetworkError(
                .storage(
                    "'\(path)' was replaced by another program while it was written. Start again when that is done, or name another file."
                ))
        }
        do throws(Errno) {
            let descriptor = try opened()
            // The permissions of the replaced file, which may be read-only.
            if let present = try? Stat(path: destination, following: false) {
                try? descriptor.setPermissions(present.permissionBits & 0o777)
            }
            try descriptor.synchronize()
            try DurableFile(destination).place(path)
            unlink(recordPath)
            try DurableFile(destination).synchronizeName()
        } catch { throw failure("put in place", error) }
        release()
    }

    /// Ends the lock. The part stays for the next run, unless it is empty or has no validator, so that it cannot be resumed.
    func leave() {
        guard descriptor != nil else { return }
        if size == 0 || record()?.validator == nil, isInPlace {
            unlink(recordPath)
            unlink(path)
        }
        release()
    }

    /// Whether the path still names the open file.
    private var isInPlace: Bool {
        guard let named = try? Stat(path: path, following: false), let held = descriptor.flatMap({ try? Stat($0) })
        else {
            return false
        }
        return named.isSameFile(as: held)
    }

    /// - Throws: `.badFileDescriptor` after the lock was ended.
    private func opened() throws(Errno) -> FileDescriptor {
        guard let descriptor else { throw .badFileDescriptor }
        return descriptor
    }

    private func release() {
        descriptor?.release()
        descriptor = nil
    }

    private func truncate() throws(Errno) {
        let descriptor = try opened()
        try throwingErrno {
            try descriptor.resize(to: 0)
            try descriptor.seek(offset: 0, from: .start)
        }
        size = 0
    }

    private func digest(
        _ empty: some HashFunction, _ algorithm: ContentDigest.Algorithm
    ) throws(NetworkError) -> ContentDigest {
        var hash = empty
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        var position: Int64 = 0
        while true {
            guard !Task.isCancelled else { throw NetworkError(.cancelled) }
            let count: Int
            do throws(Errno) {
                let descriptor = try opened()
                count = try throwingErrno {
                    try piece.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: position, into: $0) }
                }
            } catch { throw failure("read", error) }
            guard count > 0 else { break }
            piece.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += Int64(count)
        }
        guard let digest = ContentDigest(algorithm, Data(hash.finalize())) else {
            throw NetworkError(.unexpected("a digest of an unknown length"))
        }
        return digest
    }

    private func failure(_ what: String, _ error: Errno) -> NetworkError {
        let step =
            switch error {
            case .noSpace, .diskQuotaExceeded: " Free some space and start again: it goes on at byte \(size)."
            case .permissionDenied, .notPermitted, .readOnlyFileSystem: " Check who may write there."
            default: ""
            }
        return NetworkError(.storage("'\(path)' cannot be \(what): \(error).\(step)"))
    }
}
