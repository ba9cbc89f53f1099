import Crypto
import Foundation
import StrataClient

/// HMAC-SHA256 over method, path, time and body, as many APIs ask for it. Each attempt is signed anew.
struct KeySigner: RequestSigner {
    let keyId: String
    let key: Secret

    var identity: String { keyId }

    func sign(_ request: inout SigningRequest) async throws {
        let time = RFC3339.string(from: SystemWallClock().now)
        let digest = try await request.body.digest()?.hex ?? ""
        let text = [request.method.rawValue, request.path, time, digest].joined(separator: "\n")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(key.reveal().utf8)))
        request.headers["X-Time"] = time
        request.headers["Authorization"] = "HMAC \(keyId):\(Data(code).base64EncodedString())"
    }
}

struct Order: Codable, Sendable { var item: String }

let client = try StrataClient(
    CommandLine.arguments[1], auth: .signing(KeySigner(keyId: "ada", key: Secret("hunter2"))))
let store = try StrataClient(
    CommandLine.arguments[1],
    auth: .signing(
        SigV4Signer(accessKey: "AKEXAMPLE", secretKey: Secret("hunter3"), region: "eu-central-1", service: "s3")))
do throws(NetworkError) {
    let answer: Order = try await client.post("/signed", body: Order(item: "gear"))
    print("accepted:", answer.item)

    let names: [String] = try await store.get("/reports", ["prefix": "a & b", "list-type": 2])
    print("listed:", names)
} catch {
    print(error)
}
