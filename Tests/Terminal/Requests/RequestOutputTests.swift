import Foundation
import Glibc
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct RequestOutputTests {
    @Test func `a success is put into the file, replacing it whole`() async throws {
        let scratch = try Scratch()
        try scratch.write("f", Data("old and longer".utf8))
        chmod(scratch.file("f"), 0o600)
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("f")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .done && run.output.text.isEmpty && run.errors.text.isEmpty)
        #expect(scratch.content("f") == Data("new".utf8))
        #expect(scratch.names == ["f"])
        var status = stat()
        #expect(stat(scratch.file("f"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `a failure leaves the file alone and is printed`() async throws {
        let scratch = try Scratch()
        try scratch.write("f", Data("old".utf8))
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("f")], ScriptedRawClient(.answer(404, "no")))
        #expect(run.status == .notFound && run.output.text == "no")
        #expect(scratch.content("f") == Data("old".utf8))
        #expect(scratch.names == ["f"])
    }

    @Test(arguments: [101, 302, 304])
    func `an answer that has not what was asked for leaves the file alone`(status: Int) async throws {
        let scratch = try Scratch()
        try scratch.write("f", Data("old".utf8))
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("f")], ScriptedRawClient(.answer(status, "elsewhere")))
        #expect(run.status == .done && run.output.text == "elsewhere")
        #expect(scratch.content("f") == Data("old".utf8))
        #expect(scratch.names == ["f"])
    }

    @Test func `a pipe that nobody reads is not waited for`() async throws {
        let scratch = try Scratch()
        mkfifo(scratch.file("p"), 0o600)
        let client = ScriptedRawClient(.answer(200, "new"))
        let run = try await RequestRun(["request", "GET", "/x", "-o", scratch.file("p")], client)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("Start its reader first."))
    }

    @Test func `a call without answer leaves nothing behind`() async throws {
        let scratch = try Scratch()
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("f")], ScriptedRawClient(.failure(.connectionLost("x"))))
        #expect(run.status == .unavailable)
        #expect(scratch.names.isEmpty)
    }

    @Test func `a symbolic link stays one`() async throws {
        let scratch = try Scratch()
        try scratch.write("real", Data("old".utf8))
        symlink(scratch.file("real"), scratch.file("link"))
        _ = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("link")], ScriptedRawClient(.answer(200, "new")))
        #expect(scratch.content("real") == Data("new".utf8))
        #expect(scratch.names == ["link", "real"])
    }

    // Never the devices of this machine while they could be replaced: a mistake in the code under test would take them
    // from everybody.
    @Test func `a pipe is written, not replaced`() async throws {
        let scratch = try Scratch()
        #expect(mkfifo(scratch.file("p"), 0o600) == 0)
        let reader = open(scratch.file("p"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", scratch.file("p")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .done)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &bytes, 10) == 3 && bytes.prefix(3) == [0x6E, 0x65, 0x77])
        #expect(scratch.names == ["p"])
        var status = stat()
        #expect(stat(scratch.file("p"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test(.enabled(if: FullDevice.isThere, "needs /dev/full, or the right to make one like it"))
    func `a full disk ends with 73`() async throws {
        let scratch = try Scratch()
        let device = try #require(FullDevice.path(in: scratch))
        let run = try await RequestRun(["request", "GET", "/x", "-o", device], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("No space left on device"))
    }

    @Test(arguments: ["", "no/such/folder/f", "f/"])
    func `what cannot be written ends with 73 before anything is sent`(name: String) async throws {
        let scratch = try Scratch()
        let client = ScriptedRawClient(.answer(200, "new"))
        let run = try await RequestRun(["request", "POST", "/x", "-o", scratch.file(name)], client)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains(scratch.path))
        #expect(client.calls.isEmpty)
        #expect(scratch.names.isEmpty)
    }

    @Test func `a dash streams to standard output, header fields first`() async throws {
        let client = ScriptedRawClient(.answer(200, Data([0xFF, 1, 2, 3]), headers: ["A": "1"]))
        let run = try await RequestRun(["request", "GET", "/x", "-o", "-", "-i"], client, width: 80)
        #expect(run.output.bytes.suffix(6) == Data([0x0A, 0x0A, 0xFF, 1, 2, 3]))
        #expect(run.status == .done)
    }

    @Test func `for programs the document says where the body went`() async throws {
        let scratch = try Scratch()
        let run = try await RequestRun(
            ["request", "GET", "/x", "--json", "-o", scratch.file("f")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.output.text.contains(#""output":{"path":"\#(scratch.file("f"))","size":3}"#))
        #expect(!run.output.text.contains(#""body""#))
        #expect(scratch.content("f") == Data("new".utf8))
    }
}

/// A device that takes nothing, which the code under test cannot take away from anybody.
private enum FullDevice {
    static let isThere = (try? Scratch()).flatMap(path(in:)) != nil

    static func path(in scratch: Scratch) -> String? {
        // Who may not change the folder cannot replace what is in it.
        if access("/dev", W_OK) != 0 { return access("/dev/full", W_OK) == 0 ? "/dev/full" : nil }
        // Character device 1, 7 (Linux, Documentation/admin-guide/devices.txt).
        let path = scratch.file("full")
        guard mknod(path, S_IFCHR | 0o600, 0x107) == 0 else { return nil }
        let descriptor = open(path, O_WRONLY)
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        return path
    }
}
