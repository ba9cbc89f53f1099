import NIOCore
import NIOHTTP1
import StrataDomain
import Testing

@testable import StrataAsyncHTTP

/// What a reader finds after each turn an exchange can take.
struct ExchangeStateTests {
    enum Turn: Sendable {
        case head, finish, fail, stop, discard
        case chunk(Int)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let turns: [Turn]
        /// `wait`, `head`, or the failure that waiting for the head ends with.
        let head: String
        /// Bytes, `end`, `wait` or a failure, in the order in which reading finds them.
        let body: [String]
        var testDescription: String { "\(turns)" }

        init(_ turns: Turn..., head: String, body: String...) {
            (self.turns, self.head, self.body) = (turns, head, body)
        }
    }

    static let cases = [
        Case(head: "wait", body: "wait"),
        Case(.head, head: "head", body: "wait"),
        Case(.head, .chunk(3), head: "head", body: "3", "wait"),
        Case(.head, .chunk(3), .chunk(0), .chunk(2), .finish, head: "head", body: "5", "end"),
        Case(.head, .finish, head: "head", body: "end"),
        Case(.head, .chunk(ExchangeState.capacity), head: "head", body: "65536", "wait"),
        Case(.fail, head: "connectionLost", body: "connectionLost"),
        Case(.head, .fail, head: "head", body: "connectionLost"),
        Case(.head, .chunk(3), .fail, head: "head", body: "3", "connectionLost"),
        Case(.stop, head: "timeout", body: "timeout"),
        Case(.head, .chunk(3), .stop, head: "timeout", body: "timeout"),
        Case(.head, .chunk(3), .stop, .chunk(2), .finish, head: "timeout", body: "timeout"),
        // The first ending counts.
        Case(.head, .chunk(3), .finish, .stop, .fail, head: "head", body: "3", "end"),
        Case(.head, .chunk(3), .fail, .stop, head: "head", body: "3", "connectionLost"),
        Case(.stop, .fail, head: "timeout", body: "timeout"),
        Case(.stop, .head, head: "timeout", body: "timeout"),
        Case(.head, .chunk(3), .finish, .discard, head: "cancelled", body: "cancelled"),
    ]

    @Test(arguments: cases)
    func `a reader gets the bytes that arrived, then the error`(example: Case) {
        var state = ExchangeState()
        for turn in example.turns { state.take(turn) }
        #expect(state.isReadable == (example.body.first != "wait"))
        #expect(state.headText == example.head)
        var found: [String] = []
        repeat { found.append(state.readText()) } while found.last.flatMap(Int.init) != nil
        #expect(found == example.body)
    }

    @Test func `is full from its capacity on, until it is read`() {
        var state = ExchangeState()
        state.take(.head)
        state.take(.chunk(ExchangeState.capacity - 1))
        #expect(!state.isFull)
        state.take(.chunk(1))
        #expect(state.isFull)
        _ = state.read()
        #expect(!state.isFull)
    }

    static let openness: [(turns: [Turn], isOpen: Bool)] = [
        ([], true), ([.head, .chunk(1)], true), ([.stop], false), ([.head, .finish], false),
    ]

    @Test(arguments: openness)
    func `only one that is open has a connection to close`(turns: [Turn], isOpen: Bool) {
        var state = ExchangeState()
        for turn in turns { state.take(turn) }
        let closes = state.stop(NetworkError(.timeout))
        #expect(closes == isOpen)
    }
}

extension ExchangeState {
    fileprivate mutating func take(_ turn: ExchangeStateTests.Turn) {
        switch turn {
        case .head: receive(HTTPResponseHead(version: .http1_1, status: .ok))
        case .chunk(let count): receive(ByteBuffer(repeating: 0, count: count))
        case .finish: finish()
        case .fail: fail(NetworkError(.connectionLost("")))
        case .stop: _ = stop(NetworkError(.timeout))
        case .discard: discard(NetworkError(.cancelled))
        }
    }

    fileprivate var headText: String {
        switch arrivedHead {
        case nil: "wait"
        case .success: "head"
        case .failure(let error): error.caseText
        }
    }

    fileprivate mutating func readText() -> String {
        switch read() {
        case .chunks(let chunks): "\(chunks.reduce(0) { $0 + $1.readableBytes })"
        case .end: "end"
        case .failure(let error): error.caseText
        case .wait: "wait"
        }
    }
}

extension NetworkError {
    fileprivate var caseText: String { String(kindText.prefix { $0 != "(" }) }
}
