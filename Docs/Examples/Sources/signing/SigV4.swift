import Crypto
import Foundation
import StrataClient

/// AWS Signature Version 4, for AWS and for stores with the API of S3. Each attempt is signed with the time of now.
///
/// Signed are `content-type`, `host` and all fields `x-amz-…`. Values in the path must be percent-encoded, as those in braces are.
struct SigV4Signer: RequestSigner {
    let accessKey: String
    let secretKey: Secret
    /// That of temporary credentials.
    var sessionToken: Secret?
    let region: String
    /// `s3`, `execute-api`, `dynamodb`.
    let service: String

    var identity: String { accessKey }

    func sign(_ request: inout SigningRequest) async throws {
        // 20261121T100000Z
        let time = RFC3339.string(from: SystemWallClock().now).prefix(19).filter { !"-:".contains($0) } + "Z"
        // Only S3 takes a body that was not hashed: a stream that can be read once.
        let digest = try await request.body.digest()?.hex ?? "UNSIGNED-PAYLOAD"
        request.headers["X-Amz-Date"] = time
        request.headers["X-Amz-Content-Sha256"] = digest
        request.headers["X-Amz-Security-Token"] = sessionToken?.reveal()

        let fields = fields(of: request)
        let names = fields.map(\.name).joined(separator: ";")
        let canonical = [
            request.method.rawValue, path(of: request), query(of: request),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), names, digest,
        ].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hash(data: Data(canonical.utf8)).hex)"
        let key = scope.split(separator: "/").reduce(Data("AWS4\(secretKey.reveal())".utf8)) { code($1, by: $0) }
        request.headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(code(text, by: key).hex)"
    }

    /// In the order of their names, which are in lower case.
    private func fields(of request: SigningRequest) -> [(name: String, value: String)] {
        let fields = request.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        return (fields.filter { $0.name == "content-type" || $0.name.hasPrefix("x-amz-") } + [("host", request.host)])
            .sorted { $0.name < $1.name }
    }

    /// S3 takes the path as it is sent, other services encode it once more.
    private func path(of request: SigningRequest) -> String {
        service == "s3" ? request.path : request.path.replacing("%", with: "%25")
    }

    /// In the order of names and values; each name has a `=`.
    private func query(of request: SigningRequest) -> String {
        (request.query ?? "").split(separator: "&").map { item -> (name: Substring, value: Substring) in
            let name = item.prefix { $0 != "=" }
            return (name, item.dropFirst(name.count + 1))
        }
        .sorted { $0 < $1 }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    private func code(_ text: some StringProtocol, by key: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }
}
