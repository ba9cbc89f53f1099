import FoundationEssentials
import Glibc
import StrataConcurrency
import StrataDomain

/// A file that appears complete or not at all: it is written next to its destination, then renamed.
///
/// A destination that is no regular file, such as `/dev/null` or a pipe, is written directly. Writing waits for the disk;
/// the command has nothing better to do.
final class OutputFile: Sendable {
    private struct Target {
        var descriptor: Int32
        /// `nil` when the destination is written directly.
        var part: String?
    }

    /// The path as typed.
    let path: String
    /// With symbolic links followed.
    private let destination: String
    private let target: Mutex<Target?>

    /// - Throws: `.storage` with the reason and the next step.
    init(_ path: String) throws(NetworkError) {
        self.path = path
        destination = Self.resolved(path)
        var status = stat()
        let exists = stat(destination, &status) == 0
        let kind = status.st_mode & S_IFMT
        guard !(exists && kind == S_IFDIR), !path.hasSuffix("/"), !path.isEmpty else {
            throw NetworkError(.storage("'\(path)' is a directory. Name a file in it with -o."))
        }
        if exists, kind != S_IFREG {
            // Opening a pipe without a reader would block.
            let descriptor = open(destination, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw Self.failure(path, errno) }
            _ = fcntl(descriptor, F_SETFL, 0)
            target = Mutex(Target(descriptor: descriptor, part: nil))
            return
        }
        let part = "\(destination).\(UInt32.random(in: .min ... .max)).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        // The mode of the replaced file; if that fails, the new file has the default mode.
        if exists { _ = fchmod(descriptor, status.st_mode & 0o777) }
        target = Mutex(Target(descriptor: descriptor, part: part))
    }

    deinit { discard() }

    func write(_ bytes: Data) throws(NetworkError) {
        let failure = target.withLock { target -> Int32? in
            guard let target else { return EBADF }
            return bytes.withUnsafeBytes { Self.writeAll($0, to: target.descriptor) }
        }
        if let failure { throw Self.failure(path, failure) }
    }

    /// Renames the file to its destination.
    func commit() throws(NetworkError) {
        guard let target = take() else { return }
        guard let part = target.part else {
            close(target.descriptor)
            return
        }
        // A full disk may show only now.
        var failure = fsync(target.descriptor) == 0 ? 0 : errno
        if close(target.descriptor) != 0, failure == 0 { failure = errno }
        if failure == 0, rename(part, destination) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(part)
            throw Self.failure(path, failure)
        }
    }

    /// Deletes the temporary file; does nothing after `commit`.
    func discard() {
        guard let target = take() else { return }
        close(target.descriptor)
        if let part = target.part { unlink(part) }
    }

    private func take() -> Target? {
        target.withLock { target in
            defer { target = nil }
            return target
        }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return errno }
        }
        return nil
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ path: String, _ code: Int32) -> NetworkError {
        guard code != ENXIO else {
            return NetworkError(.storage("Nobody reads the pipe '\(path)'. Start its reader first."))
        }
        return NetworkError(
            .storage(
                "File '\(path)' cannot be written: \(String(cString: strerror(code))). Check the path, its rights and the "
                    + "space on the disk."))
    }
}
