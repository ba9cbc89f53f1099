/// A file for its owner only, which a library such as SQLite opens by its path: alone it would create the file with the
/// permissions of the umask.
package enum PrivateFile {
    /// Creates missing directories with mode 0700 and a missing file with mode 0600, and takes the permissions of other users
    /// off a file of this user. Blocks.
    ///
    /// A file that is there is not opened: closing it would drop the locks that SQLite holds on it in this process.
    ///
    /// - Returns: Whether the file was missing.
    @discardableResult
    package static func create(_ path: String) throws(Errno) -> Bool {
        try PrivateDirectory(path.directoryPath).create()
        do throws(Errno) {
            try openFile(path, O_RDWR | O_CREAT | O_EXCL).release()
            return true
        } catch {
            guard error == .fileExists else { throw error }
        }
        if let status = try? Stat(path: path, following: true), status.isRegular, status.isOwnedByUser,
            status.permissionBits & 0o077 != 0
        {
            chmod(path, 0o600)
        }
        return false
    }
}
