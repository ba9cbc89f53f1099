import FoundationEssentials
import StrataDomain
import StrataSystem

/// Reads one file in pieces, off the cooperative pool; closed with its last reference.
actor FileReader {
    private static let pieceSize = 64 * 1024

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private let descriptor: FileDescriptor
    /// Of the file when it was opened.
    let status: Stat
    /// Offset of the next bytes.
    private(set) var position: Int64
    private let end: Int64

    /// Opens the file. Blocks.
    private init(blocking path: String, _ part: Range<Int64>?, executor: BlockingExecutor) throws(NetworkError) {
        self.path = path
        self.executor = executor
        position = part?.lowerBound ?? 0
        do {
            // A pipe would block in open without O_NONBLOCK; it has no meaning for regular files.
            descriptor = try openFile(path, O_RDONLY | O_NONBLOCK)
        } catch {
            throw NetworkError(
                .storage("'\(path)' cannot be read: \(error). Check the path and who may read it."))
        }
        do {
            status = try Stat(descriptor)
            end = part?.upperBound ?? status.size
        } catch {
            descriptor.release()
            throw NetworkError(.storage("'\(path)' cannot be read: \(error)."))
        }
        guard status.isRegular else {
            descriptor.release()
            throw NetworkError(
                .storage("'\(path)' is \(status.isDirectory ? "a directory" : "no regular file"); name a file."))
        }
    }

    deinit { descriptor.release() }

    /// Opens the file at `path` off the cooperative pool.
    ///
    /// - Parameters:
    ///   - part: The bytes to read, which the file must have. Default: all.
    ///   - earlier: The file must not have been changed since.
    static func reading(
        _ path: String, _ part: Range<Int64>? = nil, unchangedSince earlier: Stat? = nil
    ) async throws(NetworkError) -> FileReader {
        let executor = BlockingExecutor()
        let reader = try await runBlocking { () throws(NetworkError) in
            try FileReader(blocking: path, part, executor: executor)
        }
        if let earlier, !reader.status.isUnchanged(since: earlier) {
            throw Self.changed(path, from: earlier.size, to: reader.status.size)
        }
        return reader
    }

    /// The next bytes; `nil` at the end.
    ///
    /// The last bytes are returned only if the file has not changed: the receiver gets one state of it, or an incomplete body.
    ///
    /// - Throws: `.storage` when the file was changed since.
    func read() throws(NetworkError) -> Data? {
        var piece = Data(count: Int(min(Int64(Self.pieceSize), end - position)))
        let count: Int
        do {
            count = try throwingErrno {
                try piece.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: position, into: $0) }
            }
        } catch {
            throw NetworkError(.storage("'\(path)' cannot be read: \(error)."))
        }
        position += Int64(count)
        guard count > 0 || position == end else { throw Self.changed(path, from: status.size, to: position) }
        if position == end, let now = try? Stat(descriptor), !now.isUnchanged(since: status) {
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
