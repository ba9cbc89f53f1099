import Crypto
import FoundationEssentials
import StrataDomain
import StrataSystem

/// One use of an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-06): whose key, for which request.
struct IdempotencyClaim: Sendable, Hashable {
    /// Principal, method, path and key, each with its length, so that no two requests share a name.
    let id: String
    /// SHA-256 of everything that makes the request what it is.
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

    /// The claim once the payload is known, which is last where it was too large to be held.
    func with(payload: Data) -> IdempotencyClaim {
        var claim = self
        claim.payloadHash = Self.digest([payloadHash, payload])
        return claim
    }

    /// 1 to 255 visible ASCII characters, the range that every server and proxy passes on.
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
