import Crypto
import FoundationEssentials
import StrataDomain

/// One use of an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-06): the key, its owner and the request.
struct IdempotencyClaim: Sendable, Hashable {
    /// `Principal.key` of the caller.
    let owner: String
    /// Digest of principal, method, path and key, each with its length, so that no two requests share an id.
    let id: String
    /// SHA-256 of method, path, query and body.
    private let payloadHash: Data
    /// `payloadHash` in base64, as it is stored.
    let payloadText: String

    init(
        key: String, owner: Principal, method: StrataDomain.HTTPMethod, target: RequestTarget, body: Data
    ) {
        var name = Digest()
        for part in [owner.key, method.rawValue, target.path, key] { name.add(part) }
        var payload = Digest()
        for part in [method.rawValue, target.path, target.query.encoded] { payload.add(part) }
        payload.add(body)
        self.init(owner: owner.key, id: name.bytes.hex, payloadHash: payload.bytes)
    }

    private init(owner: String, id: String, payloadHash: Data) {
        (self.owner, self.id, self.payloadHash) = (owner, id, payloadHash)
        payloadText = payloadHash.base64EncodedString()
    }

    /// The claim with a payload that was too large to be held in memory.
    func with(payload: Data) -> IdempotencyClaim {
        var digest = Digest()
        digest.add(payloadHash)
        digest.add(payload)
        return IdempotencyClaim(owner: owner, id: id, payloadHash: digest.bytes)
    }

    /// 1 to 255 visible ASCII characters, which every server and proxy forwards unchanged.
    static func isKey(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// SHA-256 of parts, each after its length.
    private struct Digest {
        private var hash = SHA256()

        var bytes: Data { Data(hash.finalize()) }

        mutating func add(_ part: String) {
            var part = part
            part.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        }

        mutating func add(_ part: Data) { part.withUnsafeBytes { add($0) } }

        private mutating func add(_ bytes: UnsafeRawBufferPointer) {
            withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(bufferPointer: bytes)
        }
    }
}
