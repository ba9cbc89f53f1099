import JournalDomain
import StrataConcurrency
import StrataTerminal

/// Tells how far an import is, batch by batch, in the way its caller can use.
final class ImportProgress: Sendable {
    let chunks: ByteChunks
    private let console: Console
    private let bar: ProgressBar
    private let newest = Mutex(ImportSummary())

    /// - Parameter size: Bytes of the log, when known.
    init(chunks: ByteChunks, size: Int?, console: Console) {
        self.chunks = chunks
        self.console = console
        bar = console.progress("import", total: size)
    }

    /// A batch is durable. Whoever reads the line may rely on it, even if this process dies right after.
    @Sendable func advance(_ summary: ImportSummary) {
        let before = newest.withLock { newest in
            defer { newest = summary }
            return newest.accepted
        }
        bar.update(done: chunks.bytesRead, detail: Self.detail(summary))
        if !console.isJSON, !console.isInteractive, summary.accepted > before {
            console.outUnderWay("accepted \(summary.accepted)")
        }
    }

    func finish() { bar.finish() }

    /// The import ended early: says what stays.
    func stop() {
        bar.finish()
        let summary = newest.withLock { $0 }
        guard summary.accepted + summary.alreadyKnown > 0 else { return }
        let accepted = "\(QuantityText.count(summary.accepted)) lines were accepted and stay"
        console.note(
            summary.repeatable == 0
                ? "\(accepted); importing again adds the rest."
                : "\(accepted). Importing again adds the rest, and \(Self.twice(summary)).")
    }

    /// Of an import that ended well: what not to do.
    static func caution(_ summary: ImportSummary) -> String? {
        summary.repeatable == 0 ? nil : "Importing this again adds \(twice(summary))."
    }

    private static func twice(_ summary: ImportSummary) -> String {
        "\(QuantityText.count(summary.repeatable)) lines a second time: a stream does not tell which of them are known, and "
            + "they have no time of their own"
    }

    private static func detail(_ summary: ImportSummary) -> String {
        let known = summary.alreadyKnown == 0 ? "" : "\(QuantityText.count(summary.alreadyKnown)) known, "
        return
            "\(QuantityText.count(summary.accepted)) accepted, \(known)\(QuantityText.count(summary.failed)) rejected"
    }
}
