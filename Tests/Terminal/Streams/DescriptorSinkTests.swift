import Foundation
import Glibc
import StrataConcurrency
import StrataTerminal
import Testing

struct DescriptorSinkTests {
    private final class Failures: Sendable {
        private let codes = Mutex<[Int32]>([])
        var all: [Int32] { codes.withLock { $0 } }
        func add(_ code: Int32) { codes.withLock { $0.append(code) } }
    }

    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `a closed pipe is reported once per write`() throws {
        Console.ignoreBrokenPipe()
        let ends = try pipe()
        defer { close(ends.write) }
        close(ends.read)
        let failures = Failures()
        DescriptorSink(descriptor: ends.write, onFailure: failures.add).write("lost\n")
        #expect(failures.all == [EPIPE])
    }

    @Test func `a write to a full disk is an error`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let failures = Failures()
        DescriptorSink(descriptor: full, onFailure: failures.add).write("lost\n")
        #expect(failures.all == [ENOSPC])
    }

    @Test func `progress that cannot be written is dropped`() throws {
        Console.ignoreBrokenPipe()
        let ends = try pipe()
        defer { close(ends.write) }
        close(ends.read)
        let failures = Failures()
        DescriptorSink(descriptor: ends.write, onFailure: failures.add).offer("lost\n")
        #expect(failures.all.isEmpty)
    }

    @Test func `more than a pipe holds arrives whole, also on a non-blocking descriptor`() async throws {
        let ends = try pipe()
        defer { close(ends.read) }
        try #require(fcntl(ends.write, F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "0123456789", count: 100_000)
        let failures = Failures()
        let writer = Thread {
            DescriptorSink(descriptor: ends.write, onFailure: failures.add).write(text)
            close(ends.write)
        }
        writer.start()
        let source = DescriptorSource(descriptor: ends.read, name: "pipe", closes: false)
        #expect(try await source.text(limit: 1_000_000, name: "pipe") == text)
        #expect(failures.all.isEmpty)
    }

    @Test func `a pipe is no terminal and has no width`() throws {
        let ends = try pipe()
        defer {
            close(ends.read)
            close(ends.write)
        }
        let sink = DescriptorSink(descriptor: ends.write) { _ in }
        #expect(!sink.isTerminal)
        #expect(sink.width == nil)
    }

    @Test func `the width of a terminal is known`() throws {
        let terminal = try PseudoTerminal()
        var size = winsize(ws_row: 24, ws_col: 133, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal.person, UInt(TIOCSWINSZ), &size) == 0)
        let sink = DescriptorSink(descriptor: terminal.program) { _ in }
        #expect(sink.isTerminal)
        #expect(sink.width == 133)
    }
}
