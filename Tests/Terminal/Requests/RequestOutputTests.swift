import Foundation
import Glibc
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct RequestOutputTests {
    @Test func `the body of a success replaces the file`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("f", Data("old and longer".utf8))
        chmod(directory.file("f"), 0o600)
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("f")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .done && run.output.text.isEmpty && run.errors.text.isEmpty)
        #expect(directory.content("f") == Data("new".utf8))
        #expect(directory.names == ["f"])
        var status = stat()
        #expect(stat(directory.file("f"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func `a failure leaves the file alone and is printed`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("f", Data("old".utf8))
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("f")], ScriptedRawClient(.answer(404, "no")))
        #expect(run.status == .notFound && run.output.text == "no")
        #expect(directory.content("f") == Data("old".utf8))
        #expect(directory.names == ["f"])
    }

    @Test(arguments: [101, 302, 304])
    func `a response without the requested content leaves the file alone`(status: Int) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("f", Data("old".utf8))
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("f")], ScriptedRawClient(.answer(status, "elsewhere")))
        #expect(run.status == .done && run.output.text == "elsewhere")
        #expect(directory.content("f") == Data("old".utf8))
        #expect(directory.names == ["f"])
    }

    @Test func `a pipe without a reader is an error at once`() async throws {
        let directory = try TemporaryDirectory()
        mkfifo(directory.file("p"), 0o600)
        let client = ScriptedRawClient(.answer(200, "new"))
        let run = try await RequestRun(["request", "GET", "/x", "-o", directory.file("p")], client)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("Start its reader first."))
    }

    @Test func `a call without a response leaves no file`() async throws {
        let directory = try TemporaryDirectory()
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("f")], ScriptedRawClient(.failure(.connectionLost("x"))))
        #expect(run.status == .unavailable)
        #expect(directory.names.isEmpty)
    }

    @Test func `a symbolic link is kept and its target replaced`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("real", Data("old".utf8))
        symlink(directory.file("real"), directory.file("link"))
        _ = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("link")], ScriptedRawClient(.answer(200, "new")))
        #expect(directory.content("real") == Data("new".utf8))
        #expect(directory.names == ["link", "real"])
    }

    @Test func `a symbolic link to a file that is not there yet is kept, too`() async throws {
        let directory = try TemporaryDirectory()
        symlink("second", directory.file("first"))
        symlink("real", directory.file("second"))
        _ = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("first")], ScriptedRawClient(.answer(200, "new")))
        #expect(directory.content("real") == Data("new".utf8))
        #expect(directory.names == ["first", "real", "second"])
    }

    // The tests do not write to devices of this machine that they could replace: a defect of the tested code would delete
    // them.
    @Test func `a pipe is written, not replaced`() async throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.file("p"), 0o600) == 0)
        let reader = open(directory.file("p"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let run = try await RequestRun(
            ["request", "GET", "/x", "-o", directory.file("p")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .done)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &bytes, 10) == 3 && bytes.prefix(3) == [0x6E, 0x65, 0x77])
        #expect(directory.names == ["p"])
        var status = stat()
        #expect(stat(directory.file("p"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test(.enabled(if: FullDevice.isThere, "needs /dev/full, or the right to make one like it"))
    func `a full disk ends with 73`() async throws {
        let directory = try TemporaryDirectory()
        let device = try #require(FullDevice.path(in: directory))
        let run = try await RequestRun(["request", "GET", "/x", "-o", device], ScriptedRawClient(.answer(200, "new")))
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("No space left on device"))
    }

    @Test(arguments: ["", "no/such/folder/f", "f/"])
    func `an output that cannot be written ends with 73 before a request is sent`(name: String) async throws {
        let directory = try TemporaryDirectory()
        let client = ScriptedRawClient(.answer(200, "new"))
        let run = try await RequestRun(["request", "POST", "/x", "-o", directory.file(name)], client)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains(directory.path))
        #expect(client.calls.isEmpty)
        #expect(directory.names.isEmpty)
    }

    @Test func `a dash streams to standard output, header fields first`() async throws {
        let client = ScriptedRawClient(.answer(200, Data([0xFF, 1, 2, 3]), headers: ["A": "1"]))
        let run = try await RequestRun(["request", "GET", "/x", "-o", "-", "-i"], client, width: 80)
        #expect(run.output.bytes.suffix(6) == Data([0x0A, 0x0A, 0xFF, 1, 2, 3]))
        #expect(run.status == .done)
    }

    @Test func `the document of --json names the file of the body`() async throws {
        let directory = try TemporaryDirectory()
        let run = try await RequestRun(
            ["request", "GET", "/x", "--json", "-o", directory.file("f")], ScriptedRawClient(.answer(200, "new")))
        #expect(run.output.text.contains(#""output":{"path":"\#(directory.file("f"))","size":3}"#))
        #expect(!run.output.text.contains(#""body""#))
        #expect(directory.content("f") == Data("new".utf8))
    }
}

/// A device on which every write fails, and that a defect of the tested code cannot delete.
private enum FullDevice {
    static let isThere = (try? TemporaryDirectory()).flatMap(path(in:)) != nil

    static func path(in directory: TemporaryDirectory) -> String? {
        // Without write access to the folder, the process cannot replace the device.
        if access("/dev", W_OK) != 0 { return access("/dev/full", W_OK) == 0 ? "/dev/full" : nil }
        // Character device 1, 7 (Linux, Documentation/admin-guide/devices.txt).
        let path = directory.file("full")
        guard mknod(path, S_IFCHR | 0o600, 0x107) == 0 else { return nil }
        let descriptor = open(path, O_WRONLY)
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        return path
    }
}
