import Crypto
import FoundationEssentials
import StrataDomain

/// Compares the bytes of one range with what `Content-Digest` says of them (RFC 9530, section 2).
///
/// That of a whole answer speaks of the whole content and is compared with it, in any number of runs; that of a range
/// speaks of these bytes only, so they are hashed as they come.
struct RangeCheck {
    private let stated: [ContentDigest]
    private var sha256: SHA256?
    private var sha512: SHA512?

    init(_ headers: HeaderFields) {
        stated = headers.values("Content-Digest").flatMap(ContentDigest.list)
        if stated.contains(where: { $0.algorithm == .sha256 }) { sha256 = SHA256() }
        if stated.contains(where: { $0.algorithm == .sha512 }) { sha512 = SHA512() }
    }

    mutating func update(_ piece: Data) {
        sha256?.update(data: piece)
        sha512?.update(data: piece)
    }

    /// What is wrong with the bytes so far; `nil` when they are right or nothing was stated.
    var mismatch: String? {
        for expected in stated {
            let bytes =
                switch expected.algorithm {
                case .sha256: sha256.map { Data($0.finalize()) }
                case .sha512: sha512.map { Data($0.finalize()) }
                }
            guard let bytes, let actual = ContentDigest(expected.algorithm, bytes), actual != expected else { continue }
            return "the range is \(actual) and should be \(expected)"
        }
        return nil
    }
}
