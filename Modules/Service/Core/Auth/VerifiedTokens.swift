import Crypto
import StrataConcurrency

/// The payloads of tokens whose form and signature this process has verified, so that each token is verified once. The keys of a
/// process never change. The caller checks times, issuer and session for each request.
///
/// It keeps a digest and not the token. It has 4096 payloads, some 4 MB, and drops the oldest first.
final class VerifiedTokens: Sendable {
    private struct Entry {
        let digest: SHA256Digest
        let payload: AccessPayload
    }

    private let entries = Mutex(LRUTable<Entry>(capacity: 4096))

    static func digest(_ token: String) -> SHA256Digest {
        var (token, hash) = (token, SHA256())
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize()
    }

    func payload(of digest: SHA256Digest) -> AccessPayload? {
        // Two digests may have one key.
        entries.withLock { $0[digest.hashValue] }.flatMap { $0.digest == digest ? $0.payload : nil }
    }

    func insert(_ payload: AccessPayload, of digest: SHA256Digest) {
        entries.withLock { $0[digest.hashValue] = Entry(digest: digest, payload: payload) }
    }
}
