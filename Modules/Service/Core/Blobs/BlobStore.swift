import Crypto
public import FoundationEssentials
public import NIOCore
import StrataConcurrency
import StrataHTTP

/// Returns which of the given ids, at most 500, are referenced. The name has the same reason as `ReceiveBody`.
public typealias ReferredBlobs = @Sendable ([String]) async throws -> Set<String>

/// Stores contents that are too large for a column, under generated ids.
///
/// A content is complete or absent. Its reference is written after it, so a crash leaves at most an unreferenced content,
/// which `sweep` removes.
public protocol BlobStore: Sendable {
    /// The migrations of its tables. Default: none.
    var migrations: [StoreMigration] { get }

    /// Reports a place that cannot be used, at the start. Default: nothing.
    ///
    /// - Throws: `BlobError`.
    func prepare() async throws

    /// Begins a content. `receive` is the usual way to write one.
    ///
    /// - Parameter id: A UUID in lower case that no content has.
    /// - Throws: 503 when too many transfers run; `BlobError`, `StoreError`.
    func writer(of id: String) async throws -> any BlobWriter

    /// Opens a complete content.
    ///
    /// - Throws: `BlobError` for a missing content, and for another size or digest; 503 when too many transfers run.
    func open(_ id: String, size: Int, digest: Data) async throws -> any BlobReader

    /// Removes a content, also an incomplete one of a program that was killed.
    ///
    /// - Throws: `BlobError`, `StoreError`; not for a missing content.
    func remove(_ id: String) async throws

    /// Removes unreferenced contents, and what interrupted uploads left.
    ///
    /// - Parameters:
    ///   - date: Contents that were written later stay, because their reference may not be written yet.
    ///   - referred: Returns which of the given ids, at most 500, are referenced.
    /// - Returns: How many were removed.
    func sweep(olderThan date: Date, referred: ReferredBlobs) async throws -> Int
}

extension BlobStore {
    public var migrations: [StoreMigration] { [] }
    public func prepare() async throws {}

    /// Stores the content that `body` appends. When `body` throws, nothing is stored.
    ///
    /// - Parameters:
    ///   - id: A UUID in lower case that no content has. Default: a new one.
    ///   - limit: Largest content in bytes.
    /// - Returns: The stored content, and the result of `body`.
    /// - Throws: As `writer`; 413 above `limit`; the error of `body`.
    public func receive<Result>(
        as id: String? = nil, limit: Int = .max, _ body: (BlobUpload) async throws -> Result
    ) async throws -> (StoredBlob, Result) {
        let id = id ?? UUID.random().text
        let writer = try await writer(of: id)
        do {
            let upload = BlobUpload(writer, limit: limit)
            let result = try await body(upload)
            let (size, digest) = try await upload.keep()
            return (StoredBlob(id: id, size: size, digest: digest), result)
        } catch {
            // In another task, because the cancellation of this one must not stop it.
            await Task { await writer.discard() }.value
            throw error
        }
    }
}

/// A content that is complete and durable.
public struct StoredBlob: Sendable, Hashable {
    /// The id of the blob, which the store made.
    public let id: String
    /// In bytes.
    public let size: Int
    /// SHA-256 of the content.
    public let digest: Data

    /// A blob that is complete.
    public init(id: String, size: Int, digest: Data) {
        self.id = id
        self.size = size
        self.digest = digest
    }
}

/// Writes one content, in pieces. It is invisible until `keep`.
public protocol BlobWriter: Sendable {
    /// Stores the next piece.
    ///
    /// - Parameter piece: `BlobUpload.piece` bytes.
    func append(_ piece: ByteBuffer) async throws

    /// Stores the last bytes and makes the content visible. It is durable when this returns.
    ///
    /// - Parameters:
    ///   - rest: Fewer bytes than a piece, or none.
    ///   - size: Bytes of the whole content.
    ///   - digest: SHA-256 of the whole content.
    func keep(_ rest: ByteBuffer, size: Int, digest: Data) async throws

    /// Removes what was written. Anything that cannot be removed now stays for `sweep`.
    func discard() async
}

/// An open content.
public protocol BlobReader: Sendable {
    /// Bytes from `offset`, at least one and at most `count`.
    ///
    /// - Throws: `BlobError`, also for bytes that differ from the stored ones, and at the end of the content.
    func read(at offset: Int, count: Int) async throws -> ByteBuffer
}

extension Permits {
    /// - Throws: 503 when too many transfers run.
    func takeForTransfer() throws(ServiceError) -> Permit {
        guard let permit = take() else { throw .unavailable("Too many files are in transfer.", seconds: 1) }
        return permit
    }
}
