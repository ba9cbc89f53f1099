import JournalDomain
import StrataTerminal
import Synchronization

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
        newest.withLock { $0 = summary }
        bar.update(done: chunks.bytesRead, detail: "\(summary.accepted) accepted, \(summary.failed) rejected")
        if !console.isJSON, !console.isInteractive { console.outUnderWay("accepted \(summary.accepted)") }
    }

    func finish() { bar.finish() }

    /// The import ended early: says what stays.
    func stop() {
        bar.finish()
        let summary = newest.withLock { $0 }
        if summary.accepted + summary.alreadyKnown > 0 {
            console.note("\(summary.accepted) lines were accepted and stay; importing again adds the rest.")
        }
    }
}
