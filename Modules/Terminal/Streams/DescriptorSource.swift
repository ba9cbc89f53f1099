import Dispatch
public import FoundationEssentials
import StrataConcurrency
public import StrataDomain
import StrataSystem

/// Bytes of a file or stream, read on a separate thread, because a read may block on a disk or a terminal.
public final class DescriptorSource: ByteSource {
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
        do {
            let answer = Answer<[UInt8]>()
            let piece = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    answer.await(continuation)
                    // `self` is held until the read is over, so that the descriptor stays open.
                    queue.async { answer.give(Result { try self.read() }) }
                }
            } onCancel: {
                // A read of a terminal or pipe may never return; the waiter has left.
                answer.give(.failure(DomainError.cancelled))
            }
            return piece.isEmpty ? nil : Data(piece)
        } catch { throw DomainError(error) }
    }

    private func read() throws -> [UInt8] {
        let file = FileDescriptor(rawValue: descriptor)
        do throws(Errno) {
            return try throwingErrno {
                try [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
            }
        } catch {
            throw DomainError.storage("'\(name)' cannot be read further: \(error).")
        }
    }
}

/// A result that is set once, by the first of several, and awaited once.
final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Value, any Error>?
        var result: Result<Value, any Error>?
        var isOver = false
    }

    private let state = Mutex(State())

    func await(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state in
            if state.result == nil { state.waiting = continuation }
            return state.result
        }
        if let early { continuation.resume(with: early) }
    }

    /// The first result counts; later ones are dropped.
    func give(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.result = result
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: result)
    }
}
