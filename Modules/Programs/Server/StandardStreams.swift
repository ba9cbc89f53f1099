import StrataSystem

/// Unbuffered lines on the standard streams.
enum StandardStreams {
    /// - Throws: `Failure` with status 73 when the line cannot be written, as on a full disk. A reader that has gone away is none.
    static func output(_ line: String, to descriptor: FileDescriptor = .standardOutput) throws(Failure) {
        do { try descriptor.append((line + "\n").utf8) } catch .brokenPipe {} catch {
            throw Failure("Standard output cannot be written: \(error).", Failure.cannotWrite)
        }
    }

    static func error(_ line: String) { write(line + "\n", to: .standardError) }
    /// Text without the end of a line.
    static func errorPart(_ text: String) { write(text, to: .standardError) }

    /// The first line of standard input, without its end.
    ///
    /// Blocks the thread.
    /// - Returns: `nil` for a line that is not UTF-8, or longer than `limit` bytes.
    /// - Throws: The error of a failed read: the part of the line before it must not pass for the line.
    static func inputLine(
        from descriptor: FileDescriptor = .standardInput, limit: Int = 4096
    ) throws(Errno) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count <= limit {
            let count = try throwingErrno { try withUnsafeMutableBytes(of: &byte) { try descriptor.read(into: $0) } }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes.count <= limit ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// A failed write is ignored.
    private static func write(_ text: String, to descriptor: FileDescriptor) { try? descriptor.append(text.utf8) }
}
