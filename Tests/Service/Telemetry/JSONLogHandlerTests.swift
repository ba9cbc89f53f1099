import Foundation
import Logging
import StrataConcurrency
import StrataDomain
import StrataService
import Testing

@Suite struct JSONLogHandlerTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[Data]>([])
        var isEmpty: Bool { lines.withLock { $0.isEmpty } }
        func append(_ line: Data) { lines.withLock { $0.append(line) } }

        /// The members of the only line, which ends with a line feed and has no other.
        func members() throws -> [String: JSONValue] {
            let lines = lines.withLock { $0 }
            try #require(lines.count == 1)
            #expect(lines[0].filter { $0 == 0x0A }.count == 1)
            #expect(lines[0].last == 0x0A)
            return try #require(try WireJSON.decode(JSONValue.self, from: lines[0]).object)
        }
    }

    private let lines = Lines()
    private var logger: Logger { Logger(label: "tides") { [lines] in JSONLogHandler(label: $0, write: lines.append) } }

    @Test func `a line is one object with the metadata beside the message`() throws {
        var logger = logger
        logger[metadataKey: "request_id"] = "r1"
        logger.info("request", metadata: ["status": .stringConvertible(200), "path": "/v1/\"x\"\n"])
        let members = try lines.members()
        #expect(members["level"] == .string("info"))
        #expect(members["label"] == .string("tides"))
        #expect(members["message"] == .string("request"))
        #expect(members["request_id"] == .string("r1"))
        #expect(members["status"] == .integer(200))
        #expect(members["path"] == .string("/v1/\"x\"\n"))
        #expect(members["time"]?.string.flatMap(RFC3339.date) != nil)
    }

    @Test func `metadata replaces neither the time nor the level nor the message`() throws {
        logger.info("real", metadata: ["message": "forged", "level": "debug", "time": "never"])
        let members = try lines.members()
        #expect(members["message"] == .string("real"))
        #expect(members["level"] == .string("info"))
        #expect(members["time"] != .string("never"))
    }

    @Test func `lists and objects keep their shape`() throws {
        logger.info("x", metadata: ["list": ["a", .stringConvertible(1.5)], "object": ["b": "c"]])
        let members = try lines.members()
        #expect(members["list"] == .array([.string("a"), .string("1.5")]))
        #expect(members["object"] == .object(["b": .string("c")]))
    }

    @Test func `lines below the level are left out`() {
        logger.debug("x")
        #expect(lines.isEmpty)
    }
}
