import StrataDomain
import StrataTerminal

extension Console {
    /// Runs `transfer` and shows how far `progress` says it is; the line is gone before this returns.
    ///
    /// - Parameter transfer: Ends `progress`, or this ends it.
    func watching<Result: Sendable>(
        _ progress: TransferProgress, _ label: String,
        _ transfer: () async throws -> Result
    ) async throws -> Result {
        async let shown: Void = show(progress.updates, label)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await transfer()) } catch { result = .failure(error) }
        progress.finish()
        await shown
        return try result.get()
    }

    private func show(_ updates: TransferProgress.Updates, _ label: String) async {
        var bar: ProgressBar?
        for await count in updates {
            if bar == nil { bar = progress(label, total: count.total.flatMap { Int(exactly: $0) }) }
            let resumed = count.resumedFrom > 0 ? ", went on from \(count.resumedFrom)" : ""
            bar?.update(
                done: Int(clamping: count.bytes),
                detail: count.total.map { "\(count.bytes) of \($0) bytes\(resumed)" }
                    ?? "\(count.bytes) bytes\(resumed)")
        }
        bar?.finish()
    }
}

extension AttachmentsCommand {
    /// - Throws: `.unavailable` with `--offline`, before anything is touched.
    func refuseOffline() throws(DomainError) {
        guard options.offline else { return }
        throw .unavailable("Attached files are kept at the server only; run the command again without --offline.")
    }
}
