import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

/// How the elements of a streamed response reach their reader.
struct ResponseStreamTests {
    private struct Tail: ManualEndpoint {
        var method: HTTPMethod { .get }
        var path: String { "/tail" }
    }

    private struct Row: Decodable, Sendable, Equatable { var id: Int }

    /// A client whose bodies are made as they are read.
    private struct Source: APIClient {
        let chunk: @Sendable (_ number: Int) async throws -> Data?
        let ended: Gate

        func response<E: Endpoint>(
            to endpoint: E, options: CallOptions
        ) async throws(NetworkError) -> APIResponse<E.Response> {
            throw NetworkError(.unexpected("streams only"))
        }

        func stream<E: Endpoint, Result: Sendable>(
            _ endpoint: E, options: CallOptions, receive: @escaping ReceiveBody<Result>
        ) async throws(NetworkError) -> Result {
            defer { ended.open() }
            let count = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> { [chunk] in try await chunk(count.increment()) }
            do { return try await receive(ResponseHead(status: 200), body) } catch {
                throw error as? NetworkError
                    ?? NetworkError(error is CancellationError ? .cancelled : .unexpected("\(error)"))
            }
        }
    }

    private func source(_ chunk: @escaping @Sendable (Int) async throws -> Data?) -> Source {
        Source(chunk: chunk, ended: Gate())
    }

    private func body(_ texts: String...) -> Source {
        source { number in number <= texts.count ? Data(texts[number - 1].utf8) : nil }
    }

    @Test func `lines come in order, however they are cut`() async throws {
        var lines: [String] = []
        for try await line in body("a\nb", "", "c\r", "\nd").lines(Tail()) { lines.append(line) }
        #expect(lines == ["a", "bc", "d"])
    }

    @Test func `rows are decoded`() async throws {
        var rows: [Row] = []
        for try await row in body("{\"id\":1}\n{\"i", "d\":2}\n").json(Tail(), of: Row.self) { rows.append(row) }
        #expect(rows == [Row(id: 1), Row(id: 2)])
    }

    @Test func `nothing is sent before the first element is asked for`() async throws {
        let reads = CallCounter()
        let lines = source { _ in
            reads.increment()
            return nil
        }.lines(Tail())
        var iterator = lines.makeAsyncIterator()
        #expect(reads.value == 0)
        #expect(try await iterator.next() == nil)
        #expect(reads.value == 1)
        #expect(try await iterator.next() == nil)
        #expect(reads.value == 1)
    }

    @Test func `a reader that does not read holds the body up`() async throws {
        let reads = CallCounter()
        let client = source { number in
            reads.increment()
            return Data("\(number)\n".utf8)
        }
        var iterator = client.lines(Tail()).makeAsyncIterator()
        #expect(try await iterator.next() == "1")
        // One line ahead, and no more: the task had every chance to read on.
        for _ in 0..<1000 { await Task.yield() }
        #expect(reads.value <= 2)
        #expect(try await iterator.next() == "2")
        #expect(try await iterator.next() == "3")
        for _ in 0..<1000 { await Task.yield() }
        #expect(reads.value <= 4)
    }

    @Test func `a failure comes after the elements before it, and once`() async throws {
        let client = source { number in
            guard number == 1 else { throw NetworkError(.connectionLost("reset")) }
            return Data("a\nb\nc".utf8)
        }
        var iterator = client.lines(Tail()).makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == "b")
        let error = await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
        #expect(error?.kind == .connectionLost("reset"))
        #expect(try await iterator.next() == nil)
    }

    /// A body with one line, and then silence until the request is cancelled.
    private func silent() -> Source {
        source { number in
            if number == 1 { return Data("a\n".utf8) }
            try await Gate().wait()
            return nil
        }
    }

    @Test func `leaving the loop ends the request`() async throws {
        let client = silent()
        for try await line in client.lines(Tail()) {
            #expect(line == "a")
            break
        }
        try await client.ended.wait()
    }

    @Test func `dropping the iterator ends the request`() async throws {
        let client = silent()
        do {
            var iterator = client.lines(Tail()).makeAsyncIterator()
            #expect(try await iterator.next() == "a")
        }
        try await client.ended.wait()
    }

    @Test func `cancelling the reader ends the request and is an error, not an end`() async throws {
        let (client, read) = (silent(), Gate())
        let task = Task {
            for try await _ in client.lines(Tail()) { read.open() }
        }
        try await read.wait()
        task.cancel()
        let result = await task.result
        let error = #expect(throws: NetworkError.self) { try result.get() }
        #expect(error?.kind == .cancelled)
        try await client.ended.wait()
    }

    @Test func `a line over the limit fails, and its request ends`() async throws {
        let client = source { _ in Data("aaaa".utf8) }
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in client.lines(Tail(), upTo: 10) {}
        }
        #expect(error?.description.contains("10 bytes") == true)
        try await client.ended.wait()
    }

    @Test func `inside a stream the chunks have lines, rows and events`() async throws {
        let texts = ("a\nb", "{\"id\":1}\n", "data: x\n\ndata: y\n\n")
        let lines = try await body(texts.0).stream(Tail(), options: CallOptions()) { _, chunks in
            var lines: [String] = []
            for try await line in chunks.lines() { lines.append(line) }
            return lines
        }
        let rows = try await body(texts.1).stream(Tail(), options: CallOptions()) { _, chunks in
            var rows: [Row] = []
            for try await row in chunks.rows(Row.self) { rows.append(row) }
            return rows
        }
        let events = try await body(texts.2).stream(Tail(), options: CallOptions()) { _, chunks in
            var events: [String] = []
            for try await event in chunks.events() { events.append(event.data) }
            return events
        }
        #expect(lines == ["a", "b"])
        #expect(rows == [Row(id: 1)])
        #expect(events == ["x", "y"])
    }
}
