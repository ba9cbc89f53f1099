import FoundationEssentials
import StrataDomain
import StrataSystem

/// The file of a session: for its owner only, replaced as a whole and durably. Every call blocks.
struct TokenFile: Sendable {
    let path: String

    /// Bytes that are read at most; a token file has a few kilobytes.
    private static let limit = 1 << 20
    /// Bytes that are reserved for the next content: several times the size of a token file.
    private static let reservation = 16_384

    /// The content; `nil` when there is no file.
    ///
    /// - Throws: For a symbolic link, a file of another user, and one that others may read.
    func read() throws(TokenStoreError) -> Data? {
        try explaining {
            "Cannot read the token file '\(path)': \($0).\(step(after: $0))"
        } in: {
            let descriptor: FileDescriptor
            do throws(Errno) { descriptor = try openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) } catch {
                if error == .noSuchFileOrDirectory { return nil }
                throw error == .tooManySymbolicLinkLevels ? symbolicLink : error
            }
            defer { descriptor.release() }
            let status = try Stat(descriptor)
            try accept(status)
            guard status.permissionBits & 0o077 == 0 else {
                throw TokenStoreError(
                    "Others may read the token file '\(path)' (mode 0\(String(status.permissionBits, radix: 8))); "
                        + "run 'chmod 600 \(path)', and log in again if another user could have copied it.")
            }
            do throws(Errno) { return try descriptor.readAll(limit: Self.limit) } catch {
                guard error == .fileTooLarge else { throw error }
                throw TokenStoreError(
                    "'\(path)' is larger than \(Self.limit) bytes and so no token file; move it away.")
            }
        }
    }

    /// Takes the space that the next `write` needs, in the temporary file that it fills.
    ///
    /// When the process ends before it writes, a later `reserve`, `write` or `remove` deletes the temporary file.
    func reserve() throws(TokenStoreError) {
        try explaining {
            "Tokens cannot be stored in '\(path)' now: \($0). Nothing was sent, and the session is as it was."
                + step(after: $0)
        } in: {
            try acceptPresent()
            try makeTemporary()
        }
    }

    /// Replaces the content: all of it, or the old file stays. Only the holder of the store's lock may call it.
    func write(_ bytes: Data) throws(TokenStoreError) {
        try explaining {
            "Cannot write the token file '\(path)': \($0).\(step(after: $0))"
        } in: {
            do {
                if !isReserved { try makeTemporary() }
                try acceptPresent()
                try fill(bytes)
                try DurableFile(path).place(temporary)
            } catch {
                unlink(temporary)
                throw error
            }
            // Every process reads the new content now, so this failure must not be taken for one to write.
            try? DurableFile(path).synchronizeName()
        }
    }

    /// Removes the file if there is one.
    func remove() throws(TokenStoreError) {
        try explaining {
            "Cannot remove the token file '\(path)': \($0).\(step(after: $0))"
        } in: {
            try acceptPresent()
            removeLeftovers()
            do throws(Errno) { try DurableFile(path).remove() } catch {
                if error != .noSuchFileOrDirectory && error != .notDirectory { throw error }
            }
        }
    }

    /// One name is enough: the holder of the lock is the only writer.
    private var temporary: String { "\(path.directoryPath)/\(temporaryPrefix)tmp" }
    private var temporaryPrefix: String { ".\(path.fileName)." }

    private var symbolicLink: TokenStoreError {
        TokenStoreError("'\(path)' is a symbolic link, which is not followed for tokens; remove it and log in again.")
    }

    /// The result of `body`; its errors become sentences.
    private func explaining<Result>(
        _ sentence: (Errno) -> String, in body: () throws -> Result
    ) throws(TokenStoreError) -> Result {
        do { return try body() } catch let error as TokenStoreError {
            throw error
        } catch let error as PrivateDirectoryError {
            throw TokenStoreError("\(error)")
        } catch {
            throw TokenStoreError(sentence(error as? Errno ?? .ioError))
        }
    }

    private func step(after error: Errno) -> String {
        switch error {
        case .noSpace, .diskQuotaExceeded: " Free some space and try again."
        case .notDirectory: " A part of its path is a file; move it away."
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            " Check who owns the directory and whether it can be written."
        default: ""
        }
    }

    private func accept(_ status: Stat) throws(TokenStoreError) {
        if status.isSymbolicLink { throw symbolicLink }
        guard status.isRegular else {
            throw TokenStoreError("'\(path)' is not a regular file; move it away and log in again.")
        }
        guard status.isOwnedByUser else {
            throw TokenStoreError(
                "The token file '\(path)' belongs to user id \(status.owner); run as that user or remove the file."
            )
        }
    }

    /// Checks the file that is about to be replaced or removed. Its mode does not matter: the new one is private.
    private func acceptPresent() throws(TokenStoreError) {
        guard let status = try? Stat(path: path, following: false) else { return }
        try accept(status)
    }

    /// Whether the space of `reserve` is there, in a file that only its owner can have opened.
    private var isReserved: Bool {
        guard let status = try? Stat(path: temporary, following: false) else { return false }
        return status.isRegular && status.isOwnedByUser && status.permissionBits == 0o600 && status.linkCount == 1
    }

    private func makeTemporary() throws {
        try PrivateDirectory(path.directoryPath).prepare()
        removeLeftovers()
        let descriptor = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        defer { descriptor.release() }
        do {
            try descriptor.setPermissions(0o600)
            try descriptor.append([UInt8](repeating: 0, count: Self.reservation))
            try descriptor.synchronize()
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func fill(_ bytes: Data) throws {
        let descriptor = try openFile(temporary, O_WRONLY | O_NOFOLLOW)
        defer { descriptor.release() }
        try descriptor.append(bytes)
        try descriptor.resize(to: Int64(bytes.count))
        try descriptor.synchronize()
    }

    /// Removes the temporary files of killed writers, which may hold tokens. The lock is held, so no writer runs.
    private func removeLeftovers() {
        let directory = path.directoryPath
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names where name.hasPrefix(temporaryPrefix) && name.hasSuffix("tmp") {
            unlink("\(directory)/\(name)")
        }
    }
}
