import FoundationEssentials
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads one file in pieces, off the cooperative pool; closed with its last reference.
actor FileReader {
    private static let pieceSize = 64 * 1024

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private let descriptor: Int32
    /// Of the file when it was opened.
    let status: FileStatus
    private var position: Int64 = 0

    /// Opens the file. Blocks.
    private init(blocking path: String, executor: BlockingExecutor) throws(NetworkError) {
        self.path = path
        self.executor = executor
        do {
            // A pipe would block in open without O_NONBLOCK; it has no meaning for regular files.
            descriptor = try checked { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        } catch {
            throw NetworkError(
                .storage("'\(path)' cannot be read: \(error.reason). Check the path and who may read it."))
        }
        do {
            status = try FileStatus(descriptor: descriptor)
        } catch {
            close(descriptor)
            throw NetworkError(.storage("'\(path)' cannot be read: \(error.reason)."))
        }
        guard status.isRegular else {
            close(descriptor)
            throw NetworkError(
                .storage("'\(path)' is \(status.isDirectory ? "a directory" : "no regular file"); name a file."))
        }
    }

    deinit { close(descriptor) }

    /// Opens the file at `path` off the cooperative pool.
    ///
    /// - Parameter earlier: The file must not have been changed since.
    static func reading(_ path: String, unchangedSince earlier: FileStatus? = nil) async throws(NetworkError)
        -> FileReader
    {
        let executor = BlockingExecutor()
        let reader = try await executor.run { () throws(NetworkError) in
            try FileReader(blocking: path, executor: executor)
        }
        if let earlier, !reader.status.isUnchanged(since: earlier) {
            throw Self.changed(path, from: earlier.size, to: reader.status.size)
        }
        return reader
    }

    /// The next bytes; `nil` at the end.
    ///
    /// The last bytes are handed over only when the file is still what was opened: whoever receives them has the whole
    /// of one state, or a body that broke off.
    ///
    /// - Throws: `.storage` when the file was changed since.
    func read() throws(NetworkError) -> Data? {
        var piece = Data(count: Self.pieceSize)
        let count: Int
        do {
            count = try checked {
                piece.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count, off_t(position)) }
            }
        } catch {
            throw NetworkError(.storage("'\(path)' cannot be read: \(error.reason)."))
        }
        position += Int64(count)
        guard position <= status.size, count > 0 || position == status.size else {
            throw Self.changed(path, from: status.size, to: position)
        }
        if position == status.size, let now = try? FileStatus(descriptor: descriptor), !now.isUnchanged(since: status) {
            throw Self.changed(path, from: status.size, to: now.size)
        }
        return count == 0 ? nil : piece.prefix(count)
    }

    private static func changed(_ path: String, from size: Int64, to now: Int64) -> NetworkError {
        NetworkError(
            .storage(
                "'\(path)' was changed while it was being sent: it had \(size) bytes, now \(now == size ? "others" : "\(now)"). Send it again when it is finished."
            ))
    }
}

/// `pread(2)`, under a name that types with a method `read` can use.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t) -> Int {
    guard let buffer else { return 0 }
    return pread(descriptor, buffer, count, offset)
}
