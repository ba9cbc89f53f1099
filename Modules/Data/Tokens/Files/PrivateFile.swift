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
    /// Bytes that are reserved for the next content: several times what a token file has.
    private static let reservation = 16_384

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

    /// Takes the space that the next `write` needs, in the temporary file that it fills.
    ///
    /// A later `reserve`, `write` or `remove` deals with what is left when the process ends before it writes.
    func reserve() throws(TokenStoreError) {
        do {
            try acceptPresent()
            try makeTemporary()
        } catch let error as SystemError {
            throw TokenStoreError(
                "Tokens cannot be stored in '\(path)' now: \(error.reason). Nothing was sent, and the session is as it was."
                    + step(after: error))
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError("Tokens cannot be stored in '\(path)' now: \(error). Nothing was sent.")
        }
    }

    /// Replaces the content: all of it, or the old file stays. Only the holder of the file's lock may call it.
    func write(_ bytes: Data) throws(TokenStoreError) {
        do {
            if !isReserved { try makeTemporary() }
            try acceptPresent()
            try fill(bytes)
            try checked { rename(temporary, path) }
            // From here on every process reads the new content: a failure to sync must not be taken for one to write.
            try? PrivateDirectory(path: path.directoryPart).synchronise()
        } catch let error as TokenStoreError {
            unlink(temporary)
            throw error
        } catch let error as SystemError {
            unlink(temporary)
            throw failure("write", error)
        } catch {
            unlink(temporary)
            throw TokenStoreError("Cannot write the token file '\(path)': \(error).")
        }
    }

    /// Removes the file if there is one.
    func remove() throws(TokenStoreError) {
        try acceptPresent()
        removeLeftovers()
        do {
            try checked { unlink(path) }
            try PrivateDirectory(path: path.directoryPart).synchronise()
        } catch {
            if error.code != ENOENT && error.code != ENOTDIR { throw failure("remove", error) }
        }
    }

    /// One name is enough: the holder of the lock is the only writer.
    private var temporary: String { "\(path.directoryPart)/\(temporaryPrefix)tmp" }
    private var temporaryPrefix: String { ".\(path.namePart)." }

    private var isLink: TokenStoreError {
        TokenStoreError("'\(path)' is a symbolic link, which is not followed for tokens; remove it and log in again.")
    }

    private func failure(_ verb: String, _ error: SystemError) -> TokenStoreError {
        TokenStoreError("Cannot \(verb) the token file '\(path)': \(error.reason).\(step(after: error))")
    }

    private func step(after error: SystemError) -> String {
        switch error.code {
        case ENOSPC, EDQUOT: " Free some space and try again."
        case ENOTDIR: " A part of its path is a file; move it away."
        case EACCES, EPERM, EROFS: " Check who owns the directory and whether it can be written."
        default: ""
        }
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

    /// Whether the space of `reserve` is there, in a file that only its owner can have opened.
    private var isReserved: Bool {
        guard let status = try? FileStatus(path: temporary, following: false) else { return false }
        return status.isRegular && status.isOurs && status.mode == 0o600 && status.links == 1
    }

    private func makeTemporary() throws {
        try PrivateDirectory(path: path.directoryPart).prepare()
        removeLeftovers()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = try checked { open(temporary, flags, 0o600) }
        defer { close(descriptor) }
        do {
            // Whatever the umask takes away.
            try checked { fchmod(descriptor, 0o600) }
            try put([UInt8](repeating: 0, count: Self.reservation), into: descriptor)
            try checked { fsync(descriptor) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func fill(_ bytes: Data) throws(SystemError) {
        let descriptor = try checked { open(temporary, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(descriptor) }
        try put([UInt8](bytes), into: descriptor)
        try checked { ftruncate(descriptor, off_t(bytes.count)) }
        try checked { fsync(descriptor) }
    }

    private func put(_ bytes: [UInt8], into descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try checked {
                bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }

    /// Removes what writers that died have left, tokens perhaps: the lock is held, so none of them is alive.
    private func removeLeftovers() {
        let directory = path.directoryPart
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(temporaryPrefix) && name.hasSuffix("tmp") {
            unlink("\(directory)/\(name)")
        }
    }
}
