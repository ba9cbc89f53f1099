import Crypto
import FoundationEssentials
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The beginning of a download beside its destination, locked against other processes, with its record in a file of its own.
///
/// Works off the cooperative pool.
actor PartFile {
    typealias Write = @Sendable (Int32, UnsafeRawPointer?, Int) -> Int
    /// Of the file system of an open file; `nil` where it does not tell.
    typealias Measure = @Sendable (Int32) -> DiskSpace?

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let destination: String
    private let path: String
    private let write: Write
    private let measure: Measure
    /// Bytes that may be written before the room on the disk is measured again.
    private var allowance: Int64 = 0
    private var descriptor: Int32
    /// Bytes that are there.
    private(set) var size: Int64

    private var recordPath: String { path + ".json" }

    private init(
        _ locked: LockedFile, write: @escaping Write, measure: @escaping Measure, executor: BlockingExecutor
    ) {
        destination = locked.destination
        self.write = write
        self.measure = measure
        self.executor = executor
        path = locked.path
        descriptor = locked.descriptor
        size = locked.size
    }

    deinit { if descriptor >= 0 { Self.release(descriptor) } }

    /// Opens and locks the part of `destination`; makes an empty one when there is none.
    ///
    /// - Throws: `.storage` when the destination cannot be replaced, or another process is at it.
    static func open(
        for destination: String, write: @escaping Write = systemWrite, measure: @escaping Measure = DiskSpace.measure
    ) async throws(NetworkError) -> PartFile {
        let executor = BlockingExecutor()
        return try await executor.run { () throws(NetworkError) in
            PartFile(try LockedFile(for: destination), write: write, measure: measure, executor: executor)
        }
    }

    /// What an earlier run left for `destination`, without taking the lock.
    static func beginning(of destination: String) async -> DownloadBeginning? {
        guard let path = try? LinkTarget.path(of: destination) + ".part" else { return nil }
        return await BlockingExecutor().run {
            guard let status = try? FileStatus(path: path), status.isRegular, status.isOurs, status.size > 0,
                record(at: path + ".json")?.validator != nil
            else { return nil }
            return DownloadBeginning(path: path, bytes: status.size)
        }
    }

    /// The record beside the part; `nil` when there is none, or it is damaged or another user's.
    func record() -> PartRecord? { Self.record(at: recordPath) }

    private static func record(at path: String) -> PartRecord? {
        guard let status = try? FileStatus(path: path), status.isRegular, status.isOurs,
            status.size <= 64 * 1024, let bytes = try? Data(contentsOf: URL(filePath: path))
        else { return nil }
        guard let record = try? JSONDecoder().decode(PartRecord.self, from: bytes), record.isUsable else { return nil }
        return record
    }

    /// Empties the part for content that `record` describes. The part is empty on the disk before the record is there.
    func begin(_ record: PartRecord) throws(NetworkError) {
        do {
            try truncate()
            try checked { fsync(descriptor) }
        } catch { throw failure("written", error) }
        try note(record)
    }

    /// Replaces the record.
    func note(_ record: PartRecord) throws(NetworkError) {
        do throws(SystemError) {
            let temporary = recordPath + ".tmp"
            let bytes = (try? JSONEncoder().encode(record)) ?? Data()
            // Left by a run that was killed, or put there by somebody else: never written into.
            unlink(temporary)
            let file = try checked {
                openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            defer { Self.release(file) }
            do throws(SystemError) {
                try put(bytes, into: file)
                try checked { fsync(file) }
                try checked { rename(temporary, recordPath) }
            } catch {
                unlink(temporary)
                throw error
            }
        } catch { throw failure("written", error) }
    }

    /// - Parameter count: Bytes that will be written; less than zero where more will be removed.
    /// - Throws: `.storage` when `count` more bytes would take the disk's reserve.
    func checkRoom(for count: Int64) throws(NetworkError) {
        guard let space = measure(descriptor), count > space.room else { return }
        throw NetworkError(
            .storage(
                "'\(destination)' needs \(count) bytes and its disk has room for \(space.room): \(space.reserve) bytes stay "
                    + "free for other programs. Free some space, or name a file on another disk."))
    }

    func append(_ bytes: Data) throws(NetworkError) {
        try takeRoom(for: Int64(bytes.count))
        do {
            try put(bytes, into: descriptor)
            size += Int64(bytes.count)
        } catch {
            // What was written of the piece stays: it is part of the content.
            size = (try? FileStatus(descriptor: descriptor))?.size ?? size
            throw failure("written", error)
        }
    }

    private func takeRoom(for count: Int64) throws(NetworkError) {
        if allowance < count, let space = measure(descriptor) {
            guard count <= space.room else {
                throw NetworkError(
                    .storage(
                        "'\(path)' has \(size) bytes, and the disk has only \(space.reserve) bytes left that stay free for "
                            + "other programs. Free some space and start again."))
            }
            allowance = min(space.room, Self.longestAllowance)
        }
        allowance -= count
    }

    private static let longestAllowance: Int64 = 8 << 20

    /// Drops the bytes and their record.
    func reset() throws(NetworkError) {
        unlink(recordPath)
        do { try truncate() } catch { throw failure("written", error) }
    }

    /// What is on the disk hashes to this.
    func digest(_ algorithm: ContentDigest.Algorithm) throws(NetworkError) -> ContentDigest {
        switch algorithm {
        case .sha256: try digest(SHA256(), algorithm)
        case .sha512: try digest(SHA512(), algorithm)
        }
    }

    /// Puts the part in the place of the destination, durably, and ends the lock.
    func finish() throws(NetworkError) {
        guard isInPlace else {
            // It says nothing about what lies there now.
            unlink(recordPath)
            throw NetworkError(
                .storage(
                    "'\(path)' was replaced by another program while it was written. Start again when that is done, or name another file."
                ))
        }
        do throws(SystemError) {
            // Exactly as what is replaced, which may be read-only; where that fails its owner may write it.
            if let present = try? FileStatus(path: destination) { _ = fchmod(descriptor, present.rights) }
            try checked { fsync(descriptor) }
            try checked { rename(path, destination) }
            unlink(recordPath)
            let parent = destination.lastIndex(of: "/").map { String(destination[...$0]) } ?? "."
            let directory = try checked { openFile(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            defer { Self.release(directory) }
            try checked { fsync(directory) }
        } catch { throw failure("put in place", error) }
        release()
    }

    /// Ends the lock. The part stays for the next run, unless it is empty or nothing can be added to it: without a validator
    /// the next run could not tell whether the content is still the same.
    func leave() {
        guard descriptor >= 0 else { return }
        if size == 0 || record()?.validator == nil, isInPlace {
            unlink(recordPath)
            unlink(path)
        }
        release()
    }

    /// Whether the file that is written still has its name.
    private var isInPlace: Bool {
        guard let named = try? FileStatus(path: path), let held = try? FileStatus(descriptor: descriptor) else {
            return false
        }
        return named.isSameFile(as: held)
    }

    private func release() {
        if descriptor >= 0 { Self.release(descriptor) }
        descriptor = -1
    }

    private static func release(_ descriptor: Int32) { close(descriptor) }

    private func truncate() throws(SystemError) {
        try checked { ftruncate(descriptor, 0) }
        try checked { lseek(descriptor, 0, SEEK_SET) }
        size = 0
    }

    private func put(_ bytes: Data, into file: Int32) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try checked { rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
            rest = rest.dropFirst(count)
        }
    }

    private func digest(
        _ empty: some HashFunction, _ algorithm: ContentDigest.Algorithm
    ) throws(NetworkError) -> ContentDigest {
        var hash = empty
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        var position: off_t = 0
        while true {
            guard !Task.isCancelled else { throw NetworkError(.cancelled) }
            let count: Int
            do { count = try checked { pread(descriptor, &piece, piece.count, position) } } catch {
                throw failure("read", error)
            }
            guard count > 0 else { break }
            piece.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += off_t(count)
        }
        guard let digest = ContentDigest(algorithm, Data(hash.finalize())) else {
            throw NetworkError(.unexpected("a digest of an unknown length"))
        }
        return digest
    }

    private func failure(_ what: String, _ error: SystemError) -> NetworkError {
        let step =
            switch error.code {
            case ENOSPC, EDQUOT: " Free some space and start again: it goes on at byte \(size)."
            case EACCES, EPERM, EROFS: " Check who may write there."
            default: ""
            }
        return NetworkError(.storage("'\(path)' cannot be \(what): \(error.reason).\(step)"))
    }
}

/// `write(2)`, under a name that a type with a member `write` can use.
@Sendable func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// `open(2)`, under a name that a type with a member `open` can use.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
