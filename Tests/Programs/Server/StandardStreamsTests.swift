import StrataSystem
import Testing

@testable import StrataServerProgram

struct StandardStreamsTests {
    /// The first line of `bytes`, through a pipe whose writer has closed.
    func line(of bytes: [UInt8], limit: Int = 4096) throws -> String? {
        let pipe = try FileDescriptor.pipe()
        try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll(bytes) }
        return try pipe.readEnd.closeAfter { try StandardStreams.inputLine(from: pipe.readEnd, limit: limit) }
    }

    @Test func `the first line is read without its end`() throws {
        #expect(try line(of: Array("one\r\ntwo\n".utf8)) == "one")
        #expect(try line(of: Array("no end".utf8)) == "no end")
        #expect(try line(of: []) == "")
    }

    @Test func `a line that is too long or not UTF-8 reads as nil`() throws {
        #expect(try line(of: Array("12345\n".utf8), limit: 4) == nil)
        #expect(try line(of: Array("1234\n".utf8), limit: 4) == "1234")
        #expect(try line(of: [0xFF, 0x0A]) == nil)
    }

    @Test func `a read that fails is an error, not the end of the line`() throws {
        let directory = try FileDescriptor.open("/", .readOnly)
        #expect(throws: Errno.isDirectory) {
            try directory.closeAfter { try StandardStreams.inputLine(from: directory) }
        }
    }

    @Test func `a line that cannot be written is a failure with its reason`() throws {
        let full = try FileDescriptor.open("/dev/full", .writeOnly)
        let failure = try full.closeAfter {
            #expect(throws: Failure.self) { try StandardStreams.output("one", to: full) }
        }
        #expect(failure?.status == 73)
        #expect(failure?.message == "Standard output cannot be written: No space left on device.")
    }
}
