package import FoundationEssentials
package import StrataDomain

/// Turns a log into journal entries, reading and storing it piece by piece.
package struct ImportLog: Sendable {
    /// Lines stored in one transaction at most.
    private static let batchSize = 500
    /// Bytes of a line that are looked at; a JSON record holds far more than its message.
    private static let lineLimit = 1_048_576

    /// Stores all drafts, or none, and returns the id of each that was not stored before.
    package typealias Store =
        @Sendable (_ drafts: [EntityDraft<JournalEntry>]) async throws(DomainError) -> [JournalEntry.ID]
    /// A UUID in lower-case text form (version 8, RFC 9562, section 5.8) that is equal for equal bytes only, so that importing
    /// again adds nothing. It needs a cryptographic digest: two lines under one id would lose one of them.
    package typealias Identity = @Sendable (_ line: [UInt8]) -> String

    private let createAll: Store
    private let identity: Identity
    private let clock: any WallClock
    private let timeZone: TimeZone

    /// - Parameter timeZone: In which lines without an offset tell the time. Default: that of the system.
    package init(
        identity: @escaping Identity, clock: any WallClock = SystemWallClock(), timeZone: TimeZone = .current,
        store: @escaping Store
    ) {
        self.identity = identity
        createAll = store
        self.clock = clock
        self.timeZone = timeZone
    }

    /// Stores each line at the latest when the chunk it ended in is read, so that a log that is still being written is kept
    /// too. What is stored stays stored, however the import ends; importing again adds what is missing. From a stream that
    /// holds for lines with a time of their own; others are new each time, and counted as `repeatable`.
    ///
    /// Off the caller's actor: parsing is work for the processor.
    ///
    /// - Parameters:
    ///   - chunks: The log's bytes, cut anywhere.
    ///   - host: The machine of lines that name none.
    ///   - isFile: Whether importing again begins at the same place; not so for a stream.
    ///   - progress: Called after each batch that was stored.
    /// - Throws: `.validation` for a bad `host`, and for bytes that are no text, before anything is stored; `.storage` when
    ///   the journal cannot be written; `.cancelled`.
    @concurrent
    @discardableResult
    package func callAsFunction<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, as format: LogFormat, host: String, isFile: Bool = true,
        progress: @Sendable (ImportSummary) async -> Void = { _ in }
    ) async throws(DomainError) -> ImportSummary where Chunks.Element == Data {
        var check = FieldCheck()
        JournalEntry.check(host: host, into: &check)
        try check.orThrow("The log cannot be imported.")
        var reader = LogReader(
            parser: LogParser(format, host: host, timeZone: timeZone),
            names: LineNames(identity, format: format, host: host), clock: clock, isFile: isFile)
        var splitter = LineSplitter(limit: Self.lineLimit)
        var isFirst = true
        do {
            for try await chunk in chunks {
                if isFirst { try Self.checkText(chunk) }
                isFirst = false
                for line in splitter.lines(in: chunk) {
                    try reader.take(line)
                    if reader.batch.count >= Self.batchSize { try await store(&reader, progress) }
                }
                try await store(&reader, progress)
            }
            // A sequence may end early instead of throwing when its task is cancelled.
            try Task.checkCancellation()
            if let line = splitter.finish() { try reader.take(line) }
            try await store(&reader, progress)
            return reader.summary
        } catch {
            throw DomainError(error)
        }
    }

    /// - Throws: `.validation` for a first piece that is no text: with a zero byte, or most of its lines not in UTF-8.
    private static func checkText(_ piece: Data) throws(DomainError) {
        let advice = "Nothing was imported. Give a text file in UTF-8; 'iconv' converts others, 'zcat' unpacks."
        if piece.contains(0) { throw .validation("The log is no text: it has zero bytes. \(advice)") }
        // The last line may be cut in the middle of a character.
        var lines = piece.split(separator: UInt8(ascii: "\n"))
        if lines.count > 1 { lines.removeLast() }
        let bad = lines.count { String(validating: $0, as: UTF8.self) == nil }
        guard bad * 2 > lines.count, bad > 1 else { return }
        throw .validation("The log is no text: \(bad) of its first \(lines.count) lines are not UTF-8. \(advice)")
    }

    private func store(
        _ reader: inout LogReader, _ progress: @Sendable (ImportSummary) async -> Void
    ) async throws {
        try Task.checkCancellation()
        guard !reader.batch.isEmpty else { return }
        let stored = try await createAll(reader.batch).count
        reader.summary.accepted += stored
        reader.summary.repeatable += reader.repeatable
        reader.summary.alreadyKnown += reader.batch.count - stored
        reader.batch.removeAll(keepingCapacity: true)
        reader.repeatable = 0
        await progress(reader.summary)
    }
}

/// Reads lines into a batch and counts.
private struct LogReader {
    var parser: LogParser
    var names: LineNames
    let clock: any WallClock
    /// Whether lines without a time have a place that is the same next time.
    let isFile: Bool
    var batch: [EntityDraft<JournalEntry>] = []
    /// Drafts of the batch that get another id next time.
    var repeatable = 0
    var summary = ImportSummary()
    private var number = 0

    init(parser: LogParser, names: LineNames, clock: any WallClock, isFile: Bool) {
        self.parser = parser
        self.names = names
        self.clock = clock
        self.isFile = isFile
    }

    mutating func take(_ line: LineSplitter.Line) throws(DomainError) {
        number += 1
        switch line {
        case .tooLong(let start):
            summary.note(LineFailure(line: number, reason: "is longer than \(start.count) bytes", bytes: start))
        case .bytes(let bytes):
            let now = clock.now
            switch parser.parse(bytes, number: number, now: now) {
            case .blank: break
            case .failure(let failure): summary.note(failure)
            case .entry(let entry, let hasOwnTime):
                batch.append(EntityDraft(try entry.wireFields(), id: id(of: bytes, hasOwnTime, now)))
            }
        }
    }

    private mutating func id(of line: [UInt8], _ hasOwnTime: Bool, _ now: Date) -> JournalEntry.ID {
        if hasOwnTime { return names.id(for: line) }
        if isFile { return names.idInFile(for: line) }
        repeatable += 1
        return JournalEntry.ID(UUIDv7.string(at: now))
    }
}
