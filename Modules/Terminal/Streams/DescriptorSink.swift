public import FoundationEssentials
import StrataSystem

/// A stream of the process, written at once and unbuffered.
///
/// The write blocks while the reader is slow; a command has no other work to do.
public struct DescriptorSink: TextSink {
    private let descriptor: Int32
    private let onFailure: @Sendable (Int32) -> Void

    /// - Parameter onFailure: Called with the `errno` of a failed write; the rest of that text is lost.
    public init(descriptor: Int32, onFailure: @escaping @Sendable (Int32) -> Void) {
        self.descriptor = descriptor
        self.onFailure = onFailure
    }

    /// Standard output. If the reader has gone away (`| head`), the process exits silently; any other failed write exits
    /// with a message and status 73, so that a full disk does not look like success.
    public static let standardOutput = DescriptorSink(descriptor: STDOUT_FILENO) { code in
        if code == EPIPE { exit(ExitStatus.done.rawValue) }
        standardError.write("error: Standard output cannot be written: \(String(cString: strerror(code))).\n")
        exit(ExitStatus.cannotWrite.rawValue)
    }

    /// Standard error; failures are ignored.
    public static let standardError = DescriptorSink(descriptor: STDERR_FILENO) { _ in }

    public var isTerminal: Bool { isatty(descriptor) == 1 }

    public var width: Int? { size(\.ws_col, default: 80) }
    public var height: Int? { size(\.ws_row, default: 24) }

    /// - Returns: `nil` when it is not a terminal.
    private func size(_ part: KeyPath<winsize, UInt16>, default standard: Int) -> Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size[keyPath: part] > 0 else { return standard }
        return Int(size[keyPath: part])
    }

    public func write(_ text: String) { if let failure = written(text) { onFailure(failure) } }

    public func write(_ bytes: Data) {
        if let failure = bytes.withUnsafeBytes({ writeAll($0) }) { onFailure(failure) }
    }

    @discardableResult
    public func offer(_ text: String) -> String? {
        written(text).flatMap { $0 == EPIPE ? nil : String(cString: strerror($0)) }
    }

    /// Writes all of `text`; the `errno` if that fails.
    private func written(_ text: String) -> Int32? {
        var text = text
        return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            do throws(Errno) {
                let file = FileDescriptor(rawValue: descriptor)
                rest = rest.dropFirst(
                    try throwingErrno { try file.write(UnsafeRawBufferPointer(rebasing: rest)) })
            } catch {
                guard error == .resourceTemporarilyUnavailable else { return error.rawValue }
                // Another process made the shared descriptor non-blocking: wait until it is writable.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            }
        }
        return nil
    }
}
