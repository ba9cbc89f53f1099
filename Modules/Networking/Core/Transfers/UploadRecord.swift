import Crypto
import FoundationEssentials
import StrataDomain
import StrataSystem

/// An upload that the server has begun, in a file of this machine.
struct UploadRecord: Codable, Sendable, Equatable {
    /// Raised when the meaning of a member changes. A record of another version is ignored.
    static let version = 1

    var version = UploadRecord.version
    /// The upload resource.
    var url: String
    var content: Content

    /// What is sent: equal in two runs if the second can continue the first.
    struct Content: Codable, Sendable, Equatable {
        /// Bytes of the file.
        var size: Int64
        /// When its content was written last: seconds and nanoseconds since 1970. `nil` where the digest is known, which tells
        /// more.
        var modified: [Int]?
        /// As in `Repr-Digest`.
        var digest: String?
        var fileName: String
        var contentType: String
        var idempotencyKey: String?
    }
}

extension UploadRecord.Content {
    init(_ upload: UploadRequest, _ file: Stat, key: String?) {
        self.init(
            size: file.size, modified: upload.digest == nil ? file.stamp.modified : nil, digest: upload.digest?.field,
            fileName: upload.fileName, contentType: upload.contentType, idempotencyKey: key)
    }
}

/// The file of a record, mode 0600, locked against other processes.
struct UploadRecordFile: Sendable {
    private let path: String
    private let lock: FileLock

    private var lockPath: String { path + ".lock" }

    /// Takes the lock of one upload: of a file to an endpoint.
    ///
    /// - Parameters:
    ///   - directory: Created with mode 0700 when it is missing.
    ///   - target: The URL of the endpoint.
    ///   - file: The path of the file that is sent.
    /// - Returns: `nil` when another process or task is sending the file there.
    /// - Throws: `.storage` when the directory cannot be used.
    static func open(
        in directory: String, target: String, file: String
    ) async throws(NetworkError) -> UploadRecordFile? {
        let whole = file.hasPrefix("/") ? file : "\(FileManager.default.currentDirectoryPath)/\(file)"
        let path = "\(directory)/\(SHA256.hash(data: Data("\(target)\n\(whole)".utf8)).hex)"
        return try await runBlocking { () throws(NetworkError) in
            do throws(PrivateDirectoryError) { try PrivateDirectory(directory).prepare() } catch {
                throw NetworkError(.storage(error.description))
            }
            do throws(Errno) {
                return try FileLock.attempt(path + ".lock").map { UploadRecordFile(path: path, lock: $0) }
            } catch { throw Self.failure(path + ".lock", error) }
        }
    }

    /// The record; `nil` without one, and for a damaged one.
    func read() async -> UploadRecord? {
        await runBlocking { [path] in
            guard let bytes = try? SmallFile(path).read(),
                let record = try? JSONDecoder().decode(UploadRecord.self, from: bytes),
                record.version == UploadRecord.version
            else { return nil }
            return record
        }
    }

    func write(_ record: UploadRecord) async throws(NetworkError) {
        let bytes = (try? JSONEncoder().encode(record)) ?? Data()
        try await runBlocking { [path] () throws(NetworkError) in
            do throws(Errno) { try DurableFile(path).replace(with: bytes, through: path + ".tmp") } catch {
                throw Self.failure(path, error)
            }
        }
    }

    /// Removes the record; the lock stays.
    func clear() async { await runBlocking { [path] in _ = unlink(path) } }

    /// Ends the lock. Its file is removed unless the upload can be continued: the next holder makes a new one.
    func close() async {
        await runBlocking { [path, lockPath, lock] in
            if (try? Stat(path: path, following: false)) == nil { unlink(lockPath) }
            lock.unlock()
        }
    }

    private static func failure(_ path: String, _ error: Errno) -> NetworkError {
        NetworkError(.storage("'\(path)' cannot be written: \(error). Check who may write there."))
    }
}
