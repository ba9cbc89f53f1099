import StrataSystem

/// What is free on a file system, and how much of it a download may take.
struct DiskSpace: Sendable, Equatable {
    /// Bytes that this user can still write.
    let free: Int64
    /// Bytes of the whole file system.
    let total: Int64

    /// Bytes that stay free for everything else on the machine: 5 % of the file system, and at most 100 MB.
    var reserve: Int64 { min(total / 20, 100_000_000) }

    /// Bytes that may still be written.
    var room: Int64 { max(0, free - reserve) }

    /// - Returns: `nil` where the file system does not tell.
    @Sendable static func measure(_ descriptor: FileDescriptor) -> DiskSpace? {
        var status = statvfs()
        guard fstatvfs(descriptor.rawValue, &status) == 0, status.f_blocks > 0 else { return nil }
        return DiskSpace(free: bytes(status.f_bavail, status.f_frsize), total: bytes(status.f_blocks, status.f_frsize))
    }

    private static func bytes(_ blocks: some BinaryInteger, _ size: some BinaryInteger) -> Int64 {
        let (bytes, overflow) = Int64(clamping: blocks).multipliedReportingOverflow(by: Int64(clamping: size))
        return overflow ? .max : bytes
    }
}
