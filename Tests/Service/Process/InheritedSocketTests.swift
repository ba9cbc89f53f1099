import Foundation
import Testing

@testable import StrataService

@Suite struct InheritedSocketTests {
    @Test(arguments: [AF_INET, AF_INET6])
    func `a listening socket is served and is closed in child processes`(family: Int32) throws {
        let socket = try ListeningSocket(family: family)
        defer { close(socket.descriptor) }
        let supervision = try Supervision.handing(socket.descriptor)
        let host = family == AF_INET ? "0.0.0.0" : "[::]"
        #expect(supervision.socket?.url == "http://\(host):\(socket.port)")
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test(
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "7"], ["LISTEN_PID": "8", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "8", "LISTEN_FDS": "many"], ["LISTEN_PID": "", "LISTEN_FDS": "1"],
        ] as [[String: String]])
    func `variables of another process, or too few, hand over nothing`(variables: [String: String]) throws {
        #expect(try Supervision(environment: variables, processId: 7).socket == nil)
    }

    @Test(
        arguments: [
            (["LISTEN_PID": "7", "LISTEN_FDS": "0"], .malformed(variable: "LISTEN_FDS", value: "0")),
            (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], .malformed(variable: "LISTEN_FDS", value: "-1")),
            (["LISTEN_PID": "7", "LISTEN_FDS": "one"], .malformed(variable: "LISTEN_FDS", value: "one")),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2147483647"], .malformed(variable: "LISTEN_FDS", value: "2147483647")),
            (
                ["LISTEN_PID": "7", "LISTEN_FDS": "99999999999"],
                .malformed(variable: "LISTEN_FDS", value: "99999999999")
            ),
            (["LISTEN_PID": "us", "LISTEN_FDS": "1"], .malformed(variable: "LISTEN_PID", value: "us")),
            (["LISTEN_PID": "-7", "LISTEN_FDS": "1"], .malformed(variable: "LISTEN_PID", value: "-7")),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2"], .several(count: 2, names: nil)),
            (["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"], .several(count: 2, names: "a:b")),
        ] as [([String: String], InheritedSocketError)])
    func `a malformed variable and a second socket are errors`(
        variables: [String: String], expected: InheritedSocketError
    ) {
        #expect(throws: expected) { try Supervision(environment: variables, processId: 7) }
    }

    @Test func `a descriptor that does not listen is an error`() throws {
        let silent = try ListeningSocket(listens: false)
        defer { close(silent.descriptor) }
        #expect(throws: InheritedSocketError.notListening(descriptor: silent.descriptor)) {
            try Supervision.handing(silent.descriptor)
        }
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(datagrams) }
        #expect(throws: InheritedSocketError.notListening(descriptor: datagrams)) {
            try Supervision.handing(datagrams)
        }
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(throws: InheritedSocketError.noSocket(descriptor: file)) { try Supervision.handing(file) }
        #expect(throws: InheritedSocketError.missing(descriptor: 1_000_000)) { try Supervision.handing(1_000_000) }
    }

    @Test(
        arguments: [
            .malformed(variable: "LISTEN_FDS", value: "many"), .several(count: 2, names: "http:metrics"),
            .missing(descriptor: 3), .noSocket(descriptor: 3), .notListening(descriptor: 3),
        ] as [InheritedSocketError])
    func `an error names the next step`(error: InheritedSocketError) {
        let text = error.description
        #expect(text.hasSuffix(".") && (text.contains("socket unit") || text.contains("unset")))
        if case .several = error { #expect(text.contains("(http, metrics)")) }
    }
}
