import StrataNetworking

/// The signature is a copy of the protocol's.
struct DigestSigner: RequestSigner {
    let identity: String

    func sign(_ request: inout SigningRequest) async throws {
        request.headers["X-Signature"] = try await request.body.digest()?.hex ?? "unsigned"
    }
}

/// A style of each form.
func signing(as identity: String) -> [AuthStyle] {
    [
        .signing(DigestSigner(identity: identity)),
        .signing(identity: identity) { request in request.headers["X-Path"] = request.path },
    ]
}
