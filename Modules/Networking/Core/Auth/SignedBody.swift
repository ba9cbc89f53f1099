import Crypto
public import FoundationEssentials
import StrataDomain
import StrataHTTP

/// The body of a request that is signed.
public struct SignedBody: Sendable {
    private let body: UploadBody?

    /// - Parameter body: `nil` for a request without one.
    init(_ body: UploadBody?) { self.body = body }

    /// The bytes of a body in memory, none for a request without a body; `nil` for a stream.
    public var bytes: Data? { body.map(\.bytes) ?? Data() }

    /// In bytes; `nil` when unknown.
    public var length: Int? { body.map(\.length) ?? 0 }

    /// SHA-256 of the body (FIPS 180-4); of no bytes for a request without one.
    ///
    /// A stream is opened once more and read to its end, in pieces: a file is read twice in each attempt.
    ///
    /// - Returns: `nil` for a stream that can be read only once. State an unsigned payload then, or throw.
    /// - Throws: What opening or reading the stream throws.
    // Off the caller's actor: a body of 16 MiB takes tens of milliseconds.
    @concurrent public func digest() async throws -> BodyDigest? {
        if let bytes { return BodyDigest(bytes: Array(SHA256.hash(data: bytes))) }
        guard let body, body.isReplayable else { return nil }
        var hash = SHA256()
        var chunks: any AsyncIteratorProtocol<Data, any Error> = try await body.open().makeAsyncIterator()
        while let chunk = try await chunks.next(isolation: nil) { hash.update(data: chunk) }
        // A cancelled task may see the end of a sequence early.
        try Task.checkCancellation()
        return BodyDigest(bytes: Array(hash.finalize()))
    }
}

/// A digest of SHA-256.
public struct BodyDigest: Sendable, Hashable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// 64 digits in lower case.
    public var hex: String { bytes.hex }

    /// With padding, as `Content-Digest` has it: `sha-256=:…:` (RFC 9530).
    public var base64: String { Data(bytes).base64EncodedString() }
}
