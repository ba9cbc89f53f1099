import FoundationEssentials
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a credential, which systemd owns and guards; mode and owner are its business.
struct CredentialFile: Sendable {
    let path: String

    private static let limit = 1 << 20

    /// The content; `nil` when there is no such credential. Blocks.
    func read() throws(TokenStoreError) -> Data? {
        do throws(SystemError) {
            let descriptor = try checked { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            defer { _ = systemClose(descriptor) }
            guard try FileStatus(descriptor: descriptor).isRegular else { throw SystemError(code: EINVAL) }
            var bytes = Data()
            var chunk = [UInt8](repeating: 0, count: 16_384)
            while bytes.count <= Self.limit {
                let count = try checked { systemRead(descriptor, &chunk, chunk.count) }
                if count == 0 { return bytes }
                bytes.append(contentsOf: chunk[..<count])
            }
            throw SystemError(code: EFBIG)
        } catch {
            if error.code == ENOENT { return nil }
            throw TokenStoreError("The credential '\(path)' cannot be read: \(error.reason). Check 'LoadCredential='.")
        }
    }
}
