import Foundation

/// A file system of 64 KiB in memory, to be filled up.
enum TinyDisk {
    static let isPossible: Bool = {
        let path = NSTemporaryDirectory() + "strata-tiny-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard mount(at: path) else { return false }
        unmount(path)
        return true
    }()

    static func mount(at path: String) -> Bool {
        mkdir(path, 0o700) == 0 && run("/bin/mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", path)
    }

    static func unmount(_ path: String) { _ = run("/bin/umount", path) }

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
