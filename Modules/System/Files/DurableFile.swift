/// A file whose content changes all at once: readers see the old bytes or the new ones, also after a power cut. Every
/// function blocks.
///
/// Foundation's atomic write is no substitute: it creates its temporary file with the permissions of the umask, and does not
/// bring the directory to the disk, so a power cut may bring the old file back.
package struct DurableFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Replaces the content. After a failure the old file is there, and no temporary one.
    ///
    /// - Parameters:
    ///   - temporary: Where the bytes are written first, in the same directory. A file of that name is removed. Default: a
    ///     hidden name with a random part; writers that exclude each other may give a fixed one, so that a killed writer
    ///     leaves at most one.
    ///   - mode: The permissions of the new file, whatever the umask.
    package func replace(
        with bytes: some Sequence<UInt8>, through temporary: String? = nil, mode: mode_t = 0o600
    ) throws(Errno) {
        let temporary =
            temporary ?? "\(path.directoryPath)/.\(path.fileName).\(UInt64.random(in: .min ... .max)).tmp"
        unlink(temporary)
        let descriptor = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        defer { descriptor.release() }
        do throws(Errno) {
            try descriptor.setPermissions(mode)
            try descriptor.append(bytes)
            try descriptor.synchronize()
            try place(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        // Every process reads the new content now, so this failure must not be taken for one to replace it.
        try? synchronizeName()
    }

    /// Puts `temporary`, which is on the disk already, in the place of the file. It survives a power cut after
    /// `synchronizeName`.
    package func place(_ temporary: String) throws(Errno) { try systemCall { rename(temporary, path) } }

    /// Brings the name of the file, which was created or placed, to the disk.
    package func synchronizeName() throws(Errno) { try PrivateDirectory(path.directoryPath).synchronize() }

    /// Removes the file.
    ///
    /// - Throws: Also when there is none.
    package func remove() throws(Errno) {
        try systemCall { unlink(path) }
        try synchronizeName()
    }
}
