import FoundationEssentials
import StrataDomain
import StrataSystem

/// The file of a credential. systemd owns it and guards its mode and owner.
struct CredentialFile: Sendable {
    let path: String

    private static let limit = 1 << 20

    /// The content; `nil` when there is no such credential. Blocks.
    func read() throws(TokenStoreError) -> Data? {
        do throws(Errno) {
            let descriptor = try openFile(path, O_RDONLY | O_NONBLOCK)
            defer { descriptor.release() }
            guard try Stat(descriptor).isRegular else { throw .invalidArgument }
            return try descriptor.readAll(limit: Self.limit)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw TokenStoreError("The credential '\(path)' cannot be read: \(error). Check 'LoadCredential='.")
        }
    }
}
