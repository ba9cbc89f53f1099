import Dispatch
public import FoundationEssentials
import StrataConcurrency
public import StrataDomain
import StrataSystem

/// Bytes of a file or stream, read on a separate thread, because a read may block on a disk or a terminal.
///
/// A cancelled read of a terminal or pipe takes no byte: what is typed after a program has left its screen is for the shell.
public final class DescriptorSource: ByteSource {
    /// The most bytes of a piece.
    package static let chunkBytes = 65_536

    /// For messages: the path, or `standard input`.
    private let name: String
    private let descriptor: Int32
    private let closes: Bool
    /// Whether a read may wait for a user or another process.
    private let waits: Bool
    private let queue = DispatchQueue(label: "strata.terminal.input")
    public let size: Int?

    /// - Parameter closes: Whether the descriptor is closed with this object.
    public init(descriptor: Int32, name: String, closes: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
        let status = try? Stat(FileDescriptor(rawValue: descriptor))
        size = status.flatMap { $0.isRegular ? Int($0.size) : nil }
        waits = status != nil && size == nil
    }

    deinit { if closes { close(descriptor) } }

    /// The file at `path`; `-` is standard input.
    ///
    /// - Throws: `CommandFailure` with status 66 and the reason, when it cannot be opened; 65 for a directory.
    public static func open(_ path: String, or input: any ConsoleInput) throws(CommandFailure) -> any ByteSource {
        if path == "-" { return input.bytes() }
        let descriptor: FileDescriptor
        do throws(Errno) { descriptor = try openFile(path, O_RDONLY) } catch {
            throw CommandFailure(.notFound, "File '\(path)' cannot be read: \(error). Check its path and rights.")
        }
        if let status = try? Stat(descriptor), status.isDirectory {
            descriptor.release()
            throw CommandFailure(.rejected, "'\(path)' is a directory. Name a file in it.")
        }
        return DescriptorSource(descriptor: descriptor.rawValue, name: path, closes: true)
    }

    public func next() async throws(DomainError) -> Data? {
        let waiter = Waiter<Result<Data, DomainError>>()
        // Without a descriptor for it the read itself waits.
        let cancellation = waits ? try? Doorbell() : nil
        let result = await withTaskCancellationHandler {
            // `self` is held until the read is over, so that the descriptor stays open.
            queue.async { waiter.resume(Result { () throws(DomainError) in try self.read(unless: cancellation) }) }
            // A read of a disk may take long; a cancelled reader does not wait for it.
            return try? await waiter.wait()
        } onCancel: {
            cancellation?.ring()
        }
        guard let result else { throw .cancelled }
        let piece = try result.get()
        return piece.isEmpty ? nil : piece
    }

    /// - Parameter cancellation: Rung before there is a byte, it ends the wait.
    /// - Throws: `.cancelled`; `.storage` when reading fails.
    private func read(unless cancellation: Doorbell?) throws(DomainError) -> Data {
        if let cancellation, !isReadable(unless: cancellation) { throw .cancelled }
        let file = FileDescriptor(rawValue: descriptor)
        do throws(Errno) {
            let bytes = try throwingErrno {
                try [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
            return Data(bytes)
        } catch {
            throw .storage("'\(name)' cannot be read further: \(error).")
        }
    }

    /// Waits for bytes, the end, or an error, which the read then tells.
    ///
    /// - Returns: `false` when the read was cancelled.
    private func isReadable(unless cancellation: Doorbell) -> Bool {
        var entries = [descriptor, cancellation.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        return !cancellation.isRinging
    }
}
