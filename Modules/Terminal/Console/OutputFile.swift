import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataSystem

/// A file that appears complete or not at all: it is written next to its destination, then renamed.
///
/// A destination that is no regular file, such as `/dev/null` or a pipe, is written directly. Writing blocks.
final class OutputFile: Sendable {
    private struct Target {
        var descriptor: FileDescriptor
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
        let present = try? Stat(path: destination, following: true)
        guard present?.isDirectory != true, !path.hasSuffix("/"), !path.isEmpty else {
            throw NetworkError(.storage("'\(path)' is a directory. Name a file in it with -o."))
        }
        do throws(Errno) {
            target = Mutex(try Self.open(destination, present))
        } catch { throw Self.failure(path, error) }
    }

    private static func open(_ destination: String, _ present: Stat?) throws(Errno) -> Target {
        if let present, !present.isRegular {
            // Opening a pipe without a reader would block.
            let descriptor = try openFile(destination, O_WRONLY | O_NONBLOCK)
            try descriptor.setBlocking(true)
            return Target(descriptor: descriptor, part: nil)
        }
        let part = "\(destination).\(UInt32.random(in: .min ... .max)).part"
        let descriptor = try openFile(part, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
        // The mode of the replaced file; if that fails, the new file has the default mode.
        if let present { try? descriptor.setPermissions(present.permissionBits & 0o777) }
        return Target(descriptor: descriptor, part: part)
    }

    deinit { discard() }

    func write(_ bytes: Data) throws(NetworkError) {
        do throws(Errno) {
            try target.withLock { target throws(Errno) in
                guard let target else { throw .badFileDescriptor }
                try target.descriptor.append(bytes)
            }
        } catch { throw Self.failure(path, error) }
    }

    /// Renames the file to its destination.
    func commit() throws(NetworkError) {
        guard let target = take() else { return }
        defer { target.descriptor.release() }
        guard let part = target.part else { return }
        do throws(Errno) {
            // A full disk may show only now.
            try target.descriptor.synchronize()
            try DurableFile(destination).place(part)
        } catch {
            unlink(part)
            throw Self.failure(path, error)
        }
    }

    /// Deletes the temporary file; does nothing after `commit`.
    func discard() {
        guard let target = take() else { return }
        target.descriptor.release()
        if let part = target.part { unlink(part) }
    }

    private func take() -> Target? {
        target.withLock { target in
            defer { target = nil }
            return target
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return target(ofLink: path).map(resolved) ?? path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Where a link leads, though no file is there yet; `nil` for anything else, and for a circle of links.
    private static func target(ofLink path: String) -> String? {
        guard errno == ENOENT else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard !target.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return target }
        return path[...slash] + target
    }

    private static func failure(_ path: String, _ error: Errno) -> NetworkError {
        guard error != .noSuchAddressOrDevice else {
            return NetworkError(.storage("The pipe '\(path)' has no reader. Start its reader first."))
        }
        return NetworkError(
            .storage(
                "File '\(path)' cannot be written: \(error). Check the path, its rights and the space on the disk."))
    }
}
