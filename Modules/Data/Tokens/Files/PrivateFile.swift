import FoundationEssentials
import StrataDomain

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small file for its owner only, replaced as a whole and durably. Every call blocks.
///
/// Foundation's atomic write is not used: it makes its temporary file readable for others and does not sync the
/// directory, so a power cut may bring the old file back.
struct PrivateFile: Sendable {
    let path: String

    /// No more is read; a token file has a few kilobytes.
    private static let limit = 1 << 20
    /// A temporary file older than this belongs to a process that died.
    private static let leftoverSeconds = 600

    /// The content; `nil` when there is no file.
    ///
    /// - Throws: For a symbolic link, a file of somebody else, and one that others may read.
    func read() throws(TokenStoreError) -> Data? {
        do {
            let descriptor = try checked { open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
            defer { close(descriptor) }
            let status = try FileStatus(descriptor: descriptor)
            try accept(status)
            guard status.mode & 0o077 == 0 else {
                throw TokenStoreError(
                    "Others may read the token file '\(path)' (mode \(status.mode.octal)); "
                        + "run 'chmod 600 \(path)', and log in again if somebody could have copied it.")
            }
            return try content(of: descriptor)
        } catch let error as SystemError {
            switch error.code {
            case ENOENT: return nil
            case ELOOP: throw isLink
            default: throw failure("read", error)
            }
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError("Cannot read the token file '\(path)': \(error).")
        }
    }

    /// Replaces the content: all of it, or the old file stays.
    func write(_ bytes: Data) throws(TokenStoreError) {
        let directory = PrivateDirectory(path: path.directoryPart)
        try directory.prepare()
        try acceptPresent()
        removeLeftovers()
        let temporary =
            "\(directory.path)/\(temporaryPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).tmp"
        do {
            try fill(temporary, with: bytes)
            try checked { rename(temporary, path) }
            try directory.synchronise()
        } catch {
            unlink(temporary)
            throw failure("write", error)
        }
    }

    /// Removes the file if there is one.
    func remove() throws(TokenStoreError) {
        try acceptPresent()
        do {
            try checked { unlink(path) }
            try PrivateDirectory(path: path.directoryPart).synchronise()
        } catch {
            if error.code != ENOENT && error.code != ENOTDIR { throw failure("remove", error) }
        }
    }

    private var temporaryPrefix: String { ".\(path.namePart)." }

    private var isLink: TokenStoreError {
        TokenStoreError("'\(path)' is a symbolic link, which is not followed for tokens; remove it and log in again.")
    }

    private func failure(_ verb: String, _ error: SystemError) -> TokenStoreError {
        let step =
            switch error.code {
            case ENOSPC, EDQUOT: " Nothing was changed; free some space and try again."
            case EACCES, EPERM, EROFS: " Check who owns the directory and whether it can be written."
            default: ""
            }
        return TokenStoreError("Cannot \(verb) the token file '\(path)': \(error.reason).\(step)")
    }

    private func accept(_ status: FileStatus) throws(TokenStoreError) {
        if status.isLink { throw isLink }
        guard status.isRegular else {
            throw TokenStoreError("'\(path)' is not a regular file; move it away and log in again.")
        }
        guard status.isOurs else {
            throw TokenStoreError(
                "The token file '\(path)' belongs to user id \(status.owner); run as that user or remove the file.")
        }
    }

    /// Checks the file that is about to be replaced or removed. Its mode does not matter: the new one is private.
    private func acceptPresent() throws(TokenStoreError) {
        guard let status = try? FileStatus(path: path, following: false) else { return }
        try accept(status)
    }

    private func content(of descriptor: Int32) throws -> Data {
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = try checked { systemRead(descriptor, &chunk, chunk.count) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= Self.limit else {
                throw TokenStoreError(
                    "'\(path)' is larger than \(Self.limit) bytes and so no token file; move it away.")
            }
        }
    }

    private func fill(_ temporary: String, with bytes: Data) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = try checked { open(temporary, flags, 0o600) }
        defer { close(descriptor) }
        let bytes = [UInt8](bytes)
        var written = 0
        while written < bytes.count {
            written += try checked {
                bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            }
        }
        try checked { fsync(descriptor) }
    }

    private func removeLeftovers() {
        let directory = path.directoryPart
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let now = time(nil)
        for name in names where name.hasPrefix(temporaryPrefix) && name.hasSuffix(".tmp") {
            let leftover = "\(directory)/\(name)"
            guard let status = try? FileStatus(path: leftover, following: false) else { continue }
            if now - status.changedAt > Self.leftoverSeconds { unlink(leftover) }
        }
    }
}
