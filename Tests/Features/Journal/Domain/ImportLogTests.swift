import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@Suite struct `An import` {
    private let journal = JournalDouble()
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
        let importLog = journal.importLog(clock: clock)
        return try await importLog(stream, as: format, host: host, isFile: isFile, progress: progress)
    }

    private var texts: [String] {
        journal.entries.current.items.map(\.text).sorted()
    }

    @Test func `an import keeps every line however the bytes are cut`() async throws {
        let log = Array("2026-01-01T10:00:00Z één\r\n\n2026-01-01T10:00:01Z two\nthree 🚒".utf8)
        for size in 1...log.count {
            let journal = JournalDouble()
            let chunks = stride(from: 0, to: log.count, by: size).map { Data(log[$0..<min($0 + size, log.count)]) }
            let importLog = journal.importLog(clock: clock)
            let stream = AsyncStream<Data> { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
            let summary = try await importLog(stream, as: .lines, host: "here")
            #expect(summary.accepted == 3)
            #expect(journal.entries.current.items.map(\.text).sorted() == ["three 🚒", "two", "één"])
        }
    }

    @Test(arguments: ["", "\n", "\n\n\r\n"])
    func `an import of an empty log adds no entry`(log: String) async throws {
        #expect(try await importing([log]) == ImportSummary())
        #expect(journal.current.batches.isEmpty)
    }

    @Test func `a second import of lines with times adds no entry`() async throws {
        let log = "2026-01-01T10:00:00Z one\n2026-01-01T10:00:00Z two\n2026-01-01T10:00:00Z one\n"
        let first = try await importing([log])
        #expect((first.accepted, first.alreadyKnown) == (3, 0))
        let second = try await importing([log.replacing("\n", with: "\r\n")])
        #expect((second.accepted, second.alreadyKnown) == (0, 3))
        #expect(texts == ["one", "one", "two"])
    }

    @Test func `a second import of a log that grew adds only the new lines`() async throws {
        _ = try await importing(["2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n"], as: .dpkg)
        let summary = try await importing(
            ["2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n2026-01-01 10:00:00 a\n2026-01-01 10:00:01 b\n"], as: .dpkg)
        #expect((summary.accepted, summary.alreadyKnown) == (2, 2))
    }

    @Test func `one line on two hosts makes two entries`() async throws {
        _ = try await importing(["2026-01-01T10:00:00Z one"], host: "web1")
        #expect(try await importing(["2026-01-01T10:00:00Z one"], host: "web2").accepted == 1)
    }

    @Test func `lines without a time from a stream are added again by each import, and counted`() async throws {
        let first = try await importing(["one\none\n2026-01-01T10:00:00Z two\n"], isFile: false)
        #expect((first.accepted, first.repeatable) == (3, 2))
        #expect(try await importing(["one\n"], isFile: false).accepted == 1)
        #expect(texts == ["one", "one", "one", "two"])
    }

    @Test func `a second import of a file without times adds no entry`() async throws {
        let log = "one\none\ntwo\n2026-01-01T10:00:00Z three\none\n"
        let first = try await importing([log])
        #expect((first.accepted, first.alreadyKnown, first.repeatable) == (5, 0, 0))
        let second = try await importing([log.replacing("\n", with: "\r\n") + "four\n"])
        #expect((second.accepted, second.alreadyKnown) == (1, 5))
        #expect(texts == ["four", "one", "one", "one", "three", "two"])
    }

    @Test func `an import of a file without times adds the rest after an interruption`() async throws {
        let log = (0..<1200).map { "line \($0)\n" }.joined()
        journal.change { $0.room = 500 }
        await #expect(throws: DomainError.storage("The disk is full.")) { try await importing([log]) }
        journal.change { $0.room = .max }
        let summary = try await importing([log])
        #expect((summary.accepted, summary.alreadyKnown) == (700, 500))
    }

    @Test func `the same words after another line make another entry`() async throws {
        _ = try await importing(["monday\nrestarted\n"])
        #expect(try await importing(["tuesday\nrestarted\n"]).accepted == 2)
    }

    @Test(arguments: [
        Data([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x01, 0x00, 0x0A]), Data("two words\n\u{0}".utf8),
        Data([0x1F, 0x8B, 0x0A, 0xFF, 0xFE, 0x0A, 0xC3, 0x28, 0x0A, 0x41, 0x0A]),
    ])
    func `an import of bytes that are no text is refused and stores no entry`(bytes: Data) async throws {
        let error = await #expect(throws: DomainError.self) {
            try await importing(bytes: [bytes, Data("text\n".utf8)])
        }
        guard case .validation(let text, _) = error else { return #expect(Bool(false)) }
        #expect(text.hasPrefix("The log is no text: ") && text.contains("Nothing was imported."))
        #expect(journal.current.batches.isEmpty)
    }

    @Test func `a message of spaces is skipped without a failure`() async throws {
        let record = #"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"  \t "}"# + "\n"
        #expect(try await importing([record], as: .journaldJSON) == ImportSummary())
    }

    @Test func `a bad line is reported by its number and the import goes on`() async throws {
        var log = Data("good\nbad \u{1}\n".utf8)
        log.append(contentsOf: [0xFF, 0x0A])
        log.append(Data("good too\n".utf8))
        let summary = try await importing(bytes: [log])
        #expect(summary.accepted == 2)
        #expect(summary.failed == 2)
        #expect(summary.failures.map(\.line) == [2, 3])
    }

    @Test func `an import reports the first 50 failures and counts all`() async throws {
        let summary = try await importing([String(repeating: "x\n", count: 60)], as: .dpkg)
        #expect(summary.failed == 60)
        #expect(summary.failures.map(\.line) == Array(1...50))
    }

    @Test func `a line of more than a megabyte is refused and the next one is read`() async throws {
        let piece = String(repeating: "x", count: 65_536)
        let summary = try await importing(Array(repeating: piece, count: 40) + ["\nnext\n"])
        #expect(summary.failures.map(\.line) == [1])
        #expect(summary.failures.first?.reason == "is longer than 1048576 bytes")
        #expect(texts == ["next"])
    }

    @Test func `a byte order mark is ignored at the start only`() async throws {
        _ = try await importing(["\u{FEFF}2026-01-01T10:00:00Z one\n"])
        #expect(texts == ["one"])
    }

    @Test func `an import stores batches of 500 and reports after each`() async throws {
        let told = Mutex<[Int]>([])
        let log = String(repeating: "line\n", count: 1250)
        let summary = try await importing([log]) { summary in told.withLock { $0.append(summary.accepted) } }
        #expect(summary.accepted == 1250)
        #expect(journal.current.batches == [500, 500, 250])
        #expect(told.withLock { $0 } == [500, 1000, 1250])
    }

    @Test func `a line is stored before the next chunk arrives`() async throws {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        let (progress, told) = AsyncStream.makeStream(of: Int.self)
        let importLog = journal.importLog(clock: clock)
        async let summary = importLog(stream, as: .lines, host: "here") { told.yield($0.accepted) }
        var stored = progress.makeAsyncIterator()
        feed.yield(Data("first\nsec".utf8))
        #expect(await stored.next() == 1)
        feed.yield(Data("ond\n".utf8))
        #expect(await stored.next() == 2)
        feed.finish()
        #expect(try await summary.accepted == 2)
    }

    @Test func `an import that fails keeps the accepted lines, and a second one adds the rest`() async throws {
        let log = (0..<1200).map { "2026-01-01T10:00:00Z line \($0)\n" }.joined()
        journal.change { $0.room = 500 }
        await #expect(throws: DomainError.storage("The disk is full.")) { try await importing([log]) }
        journal.change { $0.room = .max }
        let summary = try await importing([log])
        #expect((summary.accepted, summary.alreadyKnown) == (700, 500))
    }

    @Test func `a cancelled import keeps the accepted lines`() async throws {
        let (stream, feed) = AsyncStream.makeStream(of: Data.self)
        let (progress, told) = AsyncStream.makeStream(of: Int.self)
        let importLog = journal.importLog(clock: clock)
        let task = Task { try await importLog(stream, as: .lines, host: "here") { told.yield($0.accepted) } }
        feed.yield(Data("one\ntwo\npart".utf8))
        var stored = progress.makeAsyncIterator()
        #expect(await stored.next() == 2)
        task.cancel()
        feed.yield(Data("ial\nthree\n".utf8))
        feed.finish()
        await #expect(throws: DomainError.cancelled) { try await task.value }
        #expect(texts == ["one", "two"])
    }

    @Test func `an import of a broken stream stores the whole lines and then fails`() async throws {
        let (stream, feed) = AsyncThrowingStream.makeStream(of: Data.self)
        feed.yield(Data("one\nhalf".utf8))
        feed.finish(throwing: DomainError.storage("The log cannot be read any further."))
        let importLog = journal.importLog(clock: clock)
        await #expect(throws: DomainError.storage("The log cannot be read any further.")) {
            try await importLog(stream, as: .lines, host: "here")
        }
        #expect(texts == ["one"])
    }

    @Test(arguments: ["", "a b", "a\nb", String(repeating: "x", count: 256)])
    func `an invalid host is refused before the log is read`(host: String) async {
        await #expect(throws: DomainError.self) { try await importing(["x\n"], host: host) }
        #expect(journal.current.batches.isEmpty)
    }
}
