#if os(Linux)
    import Foundation

    /// A file system in memory that can be filled up and made read-only; it is unmounted with this value.
    public final class SmallFileSystem: Sendable {
        /// The folder of the file system, while it is mounted.
        public let path: String
        private let directory: TemporaryDirectory
        private let size: String

        /// Whether this process has the right to mount. Root in a container may not.
        public static let isPossible = (try? SmallFileSystem(kilobytes: 64)) != nil

        /// - Parameter path: Where it is mounted; a directory is made there. Default: a place of its own.
        public init(kilobytes: Int, at path: String? = nil) throws {
            directory = try TemporaryDirectory()
            self.path = path ?? directory.file("disk")
            size = "size=\(kilobytes)k,mode=700"
            try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
            try remount(0)
        }

        deinit { umount2(path, Int32(MNT_DETACH)) }

        /// Writes the file `fill` until no byte is left.
        public func fill() throws {
            let file = open("\(path)/fill", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
            defer { close(file) }
            let bytes = [UInt8](repeating: 1, count: 4096)
            while write(file, bytes, bytes.count) > 0 {}
        }

        /// Removes what `fill()` wrote, and allows writing.
        public func makeRoom() throws {
            try remount(UInt(MS_REMOUNT))
            unlink("\(path)/fill")
        }

        /// - Throws: While a file is open for writing.
        public func makeReadOnly() throws { try remount(UInt(MS_REMOUNT) | UInt(MS_RDONLY)) }

        private func remount(_ flags: UInt) throws {
            guard mount("tmpfs", path, "tmpfs", flags, size) == 0 else {
                throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path])
            }
        }
    }
#endif
