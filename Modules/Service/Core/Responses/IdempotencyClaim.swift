import Crypto
import FoundationEssentials
import StrataDomain

/// One use of an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-06): the key, its owner and the request.
struct IdempotencyClaim: Sendable, Hashable {
    /// Digest of principal, method, path and key, each with its length, so that no two requests share an id.
    let id: String
    /// SHA-256 of method, path, query and body.
    private(set) var payloadHash: Data

    init(
        key: String, owner: Principal, method: StrataDomain.HTTPMethod, target: RequestTarget, body: Data
    ) {
        id =
            Self.digest([Data(owner.key.utf8), Data(method.rawValue.utf8), Data(target.path.utf8), Data(key.utf8)])
            .hex
        payloadHash = Self.digest([
            Data(method.rawValue.utf8), Data(target.path.utf8), Data(target.query.encoded.utf8), body,
        ])
    }

    /// The claim with a payload that was too large to be held in memory.
    func with(payload: Data) -> IdempotencyClaim {
        var claim = self
        claim.payloadHash = Self.digest([payloadHash, payload])
        return claim
    }

    /// 1 to 255 visible ASCII characters, which every server and proxy forwards unchanged.
    static func isKey(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func digest(_ parts: [Data]) -> Data {
        var hash = SHA256()
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: part)
        }
        return Data(hash.finalize())
    }
}
