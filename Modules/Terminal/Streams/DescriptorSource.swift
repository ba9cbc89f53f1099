import Dispatch
public import FoundationEssentials
import StrataConcurrency
public import StrataDomain
import StrataSystem

/// Bytes of a file or stream, read on a separate thread, because a read may block on a disk or a terminal.
public final class DescriptorSource: ByteSource {
    /// The most bytes of a piece.
    public static let chunkBytes = 65_536

    /// For messages: the path, or `standard input`.
    private let name: String
    private let descriptor: Int32
    private let closes: Bool
    private let queue = DispatchQueue(label: "strata.terminal.input")
    public let size: Int?

    /// - Parameter closes: Whether the descriptor is closed with this object.
    public init(descriptor: Int32, name: String, closes: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
        let status = try? Stat(FileDescriptor(rawValue: descriptor))
        size = status.flatMap { $0.isRegular ? Int($0.size) : nil }
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
        // `self` is held until the read is over, so that the descriptor stays open.
        queue.async { waiter.resume(Result { () throws(DomainError) in try self.read() }) }
        // A read of a terminal or pipe may never return; a cancelled reader does not wait for it.
        guard let result = try? await waiter.wait() else { throw .cancelled }
        let piece = try result.get()
        return piece.isEmpty ? nil : piece
    }

    private func read() throws(DomainError) -> Data {
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
}
