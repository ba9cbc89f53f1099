import Crypto
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataHTTP
import StrataNetworking

/// HMAC-SHA256 over method, path, date, nonce and the digest of the body.
struct HMACSigner: RequestSigner {
    let identity: String
    let key: Secret
    let now: @Sendable () -> String
    let nonce: @Sendable () -> String

    func sign(_ request: inout SigningRequest) async throws {
        guard let digest = try await request.body.digest() else {
            throw NetworkError(.invalidRequest("this API signs bodies that can be read twice"))
        }
        request.headers["Date"] = now()
        request.headers["X-Nonce"] = nonce()
        request.headers["Content-Digest"] = "sha-256=:\(digest.base64):"
        request.headers["X-Signature"] = Self.signature(request.method.rawValue, request.path, request.headers, key)
    }

    /// What a server computes too.
    static func signature(_ method: String, _ path: String, _ fields: HeaderFields, _ key: Secret) -> String {
        let names = ["Date", "X-Nonce", "Content-Digest"]
        let text = ([method, path] + names.map { fields[$0] ?? "" }).joined(separator: "\n")
        return HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(key.reveal().utf8))
        ).hex
    }
}

/// AWS Signature Version 4 with the fields `content-type`, `host` and `x-amz-date`.
struct SigV4Signer: RequestSigner {
    let accessKey: String
    let secretKey: Secret
    let region: String
    let service: String
    /// As `20150830T123600Z`.
    let time: String

    var identity: String { accessKey }

    func sign(_ request: inout SigningRequest) async throws {
        request.headers["X-Amz-Date"] = time
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let fields = [
            ("content-type", request.headers["Content-Type"] ?? ""), ("host", request.host), ("x-amz-date", time),
        ].filter { !$0.1.isEmpty }
        let names = fields.map(\.0).joined(separator: ";")
        let digest = try await request.body.digest()?.hex ?? "UNSIGNED-PAYLOAD"
        let query = (request.query ?? "").split(separator: "&").sorted().joined(separator: "&")
        let canonical = [
            request.method.rawValue, request.path, query, fields.map { "\($0.0):\($0.1)\n" }.joined(), names, digest,
        ].joined(separator: "\n")
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hash(data: Data(canonical.utf8)).hex)"
        var key = Data("AWS4\(secretKey.reveal())".utf8)
        for part in scope.split(separator: "/") { key = Self.code(part, key) }
        request.headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), Signature=\(Self.code(text, key).hex)"
    }

    private static func code(_ text: some StringProtocol, _ key: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }
}

/// Signs in the name of the user of the task.
struct UserSigner: RequestSigner {
    @TaskLocal static var user = "nobody"

    var identity: String { Self.user }

    func sign(_ request: inout SigningRequest) async throws {
        request.headers["X-User-Signature"] = "signed by \(Self.user)"
    }
}
