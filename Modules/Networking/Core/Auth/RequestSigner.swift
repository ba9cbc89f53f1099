/// Signs the requests of one API: with an HMAC, with AWS Signature Version 4, with HTTP message signatures (RFC 9421).
///
/// `AuthStyle.signing(identity:_:)` makes one of a closure.
public protocol RequestSigner: Sendable {
    /// Whose requests it signs: the id of a key, or of an account. No secret.
    ///
    /// It is read when a call begins. Calls of different identities share no response, neither in flight nor from a cache; equal
    /// reads of one identity may. A call whose signer states another identity when it signs is not sent.
    var identity: String { get }

    /// Adds the signature to `request`, an attempt that is sent next.
    ///
    /// It is called again for each retry, hedged request and followed redirect, always with the unsigned request, so a nonce and
    /// a date are fresh. It counts towards the time of the attempt, and ends when its task is cancelled.
    ///
    /// - Throws: What ends the call. It is not retried, unless it is a `NetworkError` that may be.
    func sign(_ request: inout SigningRequest) async throws
}

/// Adds the signature to one attempt, as `RequestSigner.sign` does.
public typealias SignRequest = @Sendable (inout SigningRequest) async throws -> Void

/// A signer made of a closure.
struct ClosureSigner: RequestSigner {
    let identity: String
    let perform: SignRequest

    func sign(_ request: inout SigningRequest) async throws { try await perform(&request) }
}
