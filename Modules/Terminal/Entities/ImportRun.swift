import FoundationEssentials
import StrataDomain

/// What an import has done.
struct ImportTally: Sendable, Hashable {
    var (created, updated, unchanged, invalid) = (0, 0, 0, 0)
    /// The first of them.
    private(set) var flaws: [ImportFlaw] = []

    static let shownFlaws = 20

    var rows: Int { created + updated + unchanged + invalid }

    /// Counts a row with flaws.
    mutating func add(_ flaws: [ImportFlaw]) {
        invalid += 1
        self.flaws += flaws.prefix(max(0, Self.shownFlaws - self.flaws.count))
    }

    mutating func add(_ outcome: ImportOutcome, line: Int) {
        switch outcome {
        case .created: created += 1
        case .updated: updated += 1
        case .unchanged: unchanged += 1
        case .refused(let error): add(ImportFlaw.all(error, line: line))
        }
    }
}

/// Reads a file twice: once to check every row, once to store them. Holds the rows of one batch.
struct ImportRun<Content: Entity>: Sendable {
    let entities: EntityUseCases<Content>
    let console: Console
    let path: String
    let options: ImportOptions
    /// `nil`: by the first character of the file.
    let format: RecordFormat?

    /// Rows stored at a time: in one transaction of the offline store.
    private static var batchSize: Int { 500 }

    /// Off the caller's actor: parsing is work for the processor.
    ///
    /// - Returns: What was stored. Nothing, where a row is invalid and no option lets the others in.
    @concurrent
    func callAsFunction() async throws -> (tally: ImportTally, isWritten: Bool) {
        let file = try await ImportFile.open(path, or: console.input)
        // The sources of both readings have its descriptor.
        defer { withExtendedLifetime(file) {} }
        let context = NewEntityContext(now: console.clock.now, host: console.hostName)
        let (checked, names, format) = try await check(file, context)
        guard checked.invalid == 0 || options.skipInvalid else { return (checked, false) }
        return (try await store(file, format, context, names, after: checked), !options.dryRun)
    }

    private func check(
        _ file: ImportFile, _ context: NewEntityContext
    ) async throws -> (ImportTally, ImportNames, RecordFormat) {
        let chunks = ByteChunks(try file.bytes())
        let bar = console.progress("check", total: file.size)
        defer { bar.finish() }
        var format = format
        var tally = ImportTally()
        var reader: ImportReader<Content>?
        func take(_ items: [ImportReader<Content>.Item]) {
            for case .flaws(let flaws) in items { tally.add(flaws) }
        }
        for try await chunk in chunks {
            let known = format ?? Self.format(of: chunk)
            format = known
            var next = reader ?? ImportReader(known, context)
            take(try next.items(in: chunk))
            reader = next
            bar.update(done: chunks.bytesRead, detail: "\(QuantityText.count(tally.invalid)) invalid")
            try Task.checkCancellation()
        }
        // A sequence may end early instead of throwing when its task is cancelled.
        try Task.checkCancellation()
        var last = reader ?? ImportReader(format ?? .csv, context)
        take(try last.finish())
        return (tally, last.read, format ?? .csv)
    }

    private func store(
        _ file: ImportFile, _ format: RecordFormat, _ context: NewEntityContext, _ names: ImportNames,
        after checked: ImportTally
    ) async throws -> ImportTally {
        let chunks = ByteChunks(try file.bytes())
        let bar = console.progress(options.dryRun ? "try" : "import", total: file.size)
        var tally = checked
        var reader = ImportReader<Content>(format, context, names: names)
        var batch: [ImportRow<Content>] = []
        do {
            for try await chunk in chunks {
                for case .row(let row) in try reader.items(in: chunk) {
                    batch.append(row)
                    guard batch.count >= Self.batchSize else { continue }
                    try await store(&batch, &tally, context)
                    bar.update(done: chunks.bytesRead, detail: Self.detail(tally))
                }
            }
            try Task.checkCancellation()
            for case .row(let row) in try reader.finish() { batch.append(row) }
            try await store(&batch, &tally, context)
            guard reader.read == names else {
                throw DomainError.validation("'\(path)' was changed while it was read. Import it again.")
            }
            bar.finish()
            return tally
        } catch {
            bar.finish()
            if !options.dryRun, tally.created + tally.updated > 0 {
                console.note("\(Self.detail(tally)), which stays. Importing the same file again adds the rest.")
            }
            throw error
        }
    }

    private func store(
        _ batch: inout [ImportRow<Content>], _ tally: inout ImportTally, _ context: NewEntityContext
    ) async throws {
        try Task.checkCancellation()
        guard !batch.isEmpty else { return }
        let outcomes = try await entities.importing(batch, isTrial: options.dryRun, context)
        for (row, outcome) in zip(batch, outcomes) { tally.add(outcome, line: row.line) }
        batch.removeAll(keepingCapacity: true)
    }

    /// An object begins with a brace, and no column does.
    private static func format(of chunk: Data) -> RecordFormat {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let first = chunk.first { !mark.contains($0) && ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return first == UInt8(ascii: "{") ? .ndjson : .csv
    }

    private static func detail(_ tally: ImportTally) -> String {
        "\(QuantityText.count(tally.created)) created, \(QuantityText.count(tally.updated)) updated"
    }
}
