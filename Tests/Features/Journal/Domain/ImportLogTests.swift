import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@Suite struct `An import` {
    private let journal = FakeJournalRepository()
    private let clock = ManualWallClock()

    private func importing(
        _ chunks: [String], as format: LogFormat = .lines, host: String = "here", isFile: Bool = true,
        progress: @Sendable (ImportSummary) async -> Void = { _ in }
    ) async throws -> ImportSummary {
        try await importing(
            bytes: chunks.map { Data($0.utf8) }, as: format, host: host, isFile: isFile, progress: progress)
    }

    private func importing(
        bytes chunks: [Data], as format: LogFormat = .lines, host: String = "here", isFile: Bool = true,
        progress: @Sendable (ImportSummary) async -> Void = { _ in }
    ) async throws -> ImportSummary {
        let stream = AsyncStream<Data> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        let importLog = ImportLog(journal, identity: PlainIdentity(), clock: clock, timeZone: .gmt)
        return try await importLog(stream, as: format, host: host, isFile: isFile, progress: progress)
    }

    private var texts: [String] {
        get async throws { try await journal.entries(JournalFilter()).map(\.entry.text).sorted() }
    }

    @Test func `keeps every line however the bytes are cut`() async throws {
        let log = Array("2026-01-01T10:00:00Z één\r\n\n2026-01-01T10:00:01Z two\nthree 🚒".utf8)
        for size in 1...log.count {
            let journal = FakeJournalRepository()
            let chunks = stride(from: 0, to: log.count, by: size).map { Data(log[$0..<min($0 + size, log.count)]) }
            let importLog = ImportLog(journal, identity: PlainIdentity(), clock: clock, timeZone: .gmt)
            let stream = AsyncStream<Data> { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
            let summary = try await importLog(stream, as: .lines, host: "here")
            #expect(summary.accepted == 3)
            #expect(try await journal.entries(JournalFilter()).map(\.entry.text).sorted() == ["three 🚒", "two", "één"])
        }
    }

    @Test(arguments: ["", "\n", "\n\n\r\n"])
    func `of nothing accepts nothing`(log: String) async throws {
        #expect(try await importing([log]) == ImportSummary())
        #expect(journal.batches.isEmpty)
    }

    @Test func `again adds nothing where lines bear their time`() async throws {
        let log = "2026-01-01T10:00:00Z one\n2026-01-01T10:00:00Z two\n2026-01-01T10:00:00Z one\n"
        let first = try await importing([log])
        #expect((first.accepted, first.alreadyKnown) == (3, 0))
        let second = try await importing([log.replacing("\n", with: "\r\n")])
        #expect((second.accepted, second.alreadyKnown) == (0, 3))
        #expect(try await texts == ["one", "one", "two"])
    }

    @Test func `of a log that grew adds what is new`() async throws {
        _ = try await importing(["2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n"], as: .dpkg)
        let summary = try await importing(
            ["2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n2026-01-01 10:00:01 b\n"], as: .dpkg)
        #expect((summary.accepted, summary.alreadyKnown) == (2, 2))
    }

    @Test func `of one line on two hosts makes two entries`() async throws {
        _ = try await importing(["2026-01-01T10:00:00Z one"], host: "web1")
        #expect(try await importing(["2026-01-01T10:00:00Z one"], host: "web2").accepted == 1)
    }

    @Test func `of lines without a time from a stream is new each time, and counts them`() async throws {
        let first = try await importing(["one\none\n2026-01-01T10:00:00Z two\n"], isFile: false)
        #expect((first.accepted, first.repeatable) == (3, 2))
        #expect(try await importing(["one\n"], isFile: false).accepted == 1)
        #expect(try await texts == ["one", "one", "one", "two"])
    }

    @Test func `of a file whose lines have no time adds nothing the second time`() async throws {
        let log = "one\none\ntwo\n2026-01-01T10:00:00Z three\none\n"
        let first = try await importing([log])
        #expect((first.accepted, first.alreadyKnown, first.repeatable) == (5, 0, 0))
        let second = try await importing([log.replacing("\n", with: "\r\n") + "four\n"])
        #expect((second.accepted, second.alreadyKnown) == (1, 5))
        #expect(try await texts == ["four", "one", "one", "one", "three", "two"])
    }

    @Test func `of a file without times that was interrupted adds the rest`() async throws {
        let log = (0..<1200).map { "line \($0)\n" }.joined()
        journal.fail(with: .storage("The disk is full."), afterAdds: 1)
        await #expect(throws: DomainError.storage("The disk is full.")) { try await importing([log]) }
        journal.fail(with: nil)
        let summary = try await importing([log])
        #expect((summary.accepted, summary.alreadyKnown) == (700, 500))
    }

    @Test func `of the same words behind others makes another entry`() async throws {
        _ = try await importing(["monday\nrestarted\n"])
        #expect(try await importing(["tuesday\nrestarted\n"]).accepted == 2)
    }

    @Test(arguments: [
        Data([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x01, 0x00, 0x0A]), Data("two words\n\u{0}".utf8),
        Data([0x1F, 0x8B, 0x0A, 0xFF, 0xFE, 0x0A, 0xC3, 0x28, 0x0A, 0x41, 0x0A]),
    ])
    func `of bytes that are no text is refused and stores nothing`(bytes: Data) async throws {
        let error = await #expect(throws: DomainError.self) {
            try await importing(bytes: [bytes, Data("text\n".utf8)])
        }
        guard case .validation(let text, _) = error else { return #expect(Bool(false)) }
        #expect(text.hasPrefix("The log is no text: ") && text.contains("Nothing was imported."))
        #expect(journal.batches.isEmpty)
    }

    @Test func `of a message of spaces adds nothing and reports nothing`() async throws {
        let record = #"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"  \t "}"# + "\n"
        #expect(try await importing([record], as: .journaldJSON) == ImportSummary())
    }

    @Test func `names bad lines by number and goes on`() async throws {
        var log = Data("good\nbad \u{1}\n".utf8)
        log.append(contentsOf: [0xFF, 0x0A])
        log.append(Data("good too\n".utf8))
        let summary = try await importing(bytes: [log])
        #expect(summary.accepted == 2)
        #expect(summary.failed == 2)
        #expect(summary.failures.map(\.line) == [2, 3])
    }

    @Test func `keeps the first 50 failures and counts all`() async throws {
        let summary = try await importing([String(repeating: "x\n", count: 60)], as: .dpkg)
        #expect(summary.failed == 60)
        #expect(summary.failures.map(\.line) == Array(1...50))
    }

    @Test func `refuses a line of more than a megabyte and reads the next`() async throws {
        let piece = String(repeating: "x", count: 65_536)
        let summary = try await importing(Array(repeating: piece, count: 40) + ["\nnext\n"])
        #expect(summary.failures.map(\.line) == [1])
        #expect(summary.failures.first?.reason == "is longer than 1048576 bytes")
        #expect(try await texts == ["next"])
    }

    @Test func `ignores a byte order mark at the start only`() async throws {
        _ = try await importing(["\u{FEFF}2026-01-01T10:00:00Z one\n"])
        #expect(try await texts == ["one"])
    }

    @Test func `stores in batches of 500 and tells after each`() async throws {
        let told = Mutex<[Int]>([])
        let log = String(repeating: "line\n", count: 1250)
        let summary = try await importing([log]) { summary in told.withLock { $0.append(summary.accepted) } }
        #expect(summary.accepted == 1250)
        #expect(journal.batches == [500, 500, 250])
        #expect(told.withLock { $0 } == [500, 1000, 1250])
    }

    @Test func `stores a line before the next chunk arrives`() async throws {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        let (progress, told) = AsyncStream.makeStream(of: Int.self)
        let importLog = ImportLog(journal, identity: PlainIdentity(), clock: clock, timeZone: .gmt)
        async let summary = importLog(stream, as: .lines, host: "here") { told.yield($0.accepted) }
        var stored = progress.makeAsyncIterator()
        feed.yield(Data("first\nsec".utf8))
        #expect(await stored.next() == 1)
        feed.yield(Data("ond\n".utf8))
        #expect(await stored.next() == 2)
        feed.finish()
        #expect(try await summary.accepted == 2)
    }

    @Test func `that fails keeps what was accepted, and again completes it`() async throws {
        let log = (0..<1200).map { "2026-01-01T10:00:00Z line \($0)\n" }.joined()
        journal.fail(with: .storage("The disk is full."), afterAdds: 1)
        await #expect(throws: DomainError.storage("The disk is full.")) { try await importing([log]) }
        journal.fail(with: nil)
        let summary = try await importing([log])
        #expect((summary.accepted, summary.alreadyKnown) == (700, 500))
    }

    @Test func `that is cancelled keeps what was accepted`() async throws {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        let (progress, told) = AsyncStream.makeStream(of: Int.self)
        let importLog = ImportLog(journal, identity: PlainIdentity(), clock: clock, timeZone: .gmt)
        let task = Task { try await importLog(stream, as: .lines, host: "here") { told.yield($0.accepted) } }
        feed.yield(Data("one\ntwo\npart".utf8))
        var stored = progress.makeAsyncIterator()
        #expect(await stored.next() == 2)
        task.cancel()
        feed.yield(Data("ial\nthree\n".utf8))
        feed.finish()
        await #expect(throws: DomainError.cancelled) { try await task.value }
        #expect(try await texts == ["one", "two"])
    }

    @Test func `of a broken stream reports it after storing what came`() async throws {
        let (stream, feed) = AsyncThrowingStream.makeStream(of: Data.self)
        feed.yield(Data("one\nhalf".utf8))
        feed.finish(throwing: DomainError.storage("The log cannot be read any further."))
        let importLog = ImportLog(journal, identity: PlainIdentity(), clock: clock, timeZone: .gmt)
        await #expect(throws: DomainError.storage("The log cannot be read any further.")) {
            try await importLog(stream, as: .lines, host: "here")
        }
        #expect(try await texts == ["one"])
    }

    @Test(arguments: ["", "a b", "a\nb", String(repeating: "x", count: 256)])
    func `refuses a host that is none before reading`(host: String) async {
        await #expect(throws: DomainError.self) { try await importing(["x\n"], host: host) }
        #expect(journal.batches.isEmpty)
    }
}
