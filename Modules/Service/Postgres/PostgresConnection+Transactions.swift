import CLibPQ
import StrataService

extension PostgresConnection {
    /// Prepared statements of a connection; more are forgotten before its next transaction.
    private static let mostPrepared = 500

    /// Begins a transaction: its first statement takes `opening` along in one round trip. A transaction without a statement
    /// sends nothing.
    func begin(_ opening: [Statement], isWriting: Bool = false) throws {
        (setback, openingValue, isAnnounced, later, lone) = (nil, nil, false, [], nil)
        (condition, refusal) = (nil, nil)
        self.isWriting = isWriting
        if hasUnreadEnd {
            hasUnreadEnd = false
            if let failure = try results({ _ in }) { throw noted(failure) }
        }
        if prepared.count > Self.mostPrepared {
            (prepared, followed) = ([:], [])
            try run("DEALLOCATE ALL")
        }
        self.opening = opening
    }

    /// Commits. The statements that wait go with COMMIT in one round trip; after a failure of one of them the server skips it.
    ///
    /// - Throws: `StoreError.failed` when the server rolled back instead, after a failed statement whose error was caught.
    func commit() throws {
        guard opening.isEmpty || !later.isEmpty else { return rollBack() }
        guard try batch(nil, commits: true).tag == "COMMIT" else { throw PostgresFailure.aborted.storeError() }
    }

    /// Ends a transaction that changed nothing. The next transaction reads the response.
    func end() throws {
        guard opening.isEmpty, PQtransactionStatus(raw) != PQTRANS_IDLE else { return rollBack() }
        try sending { PQsendQuery(raw, "COMMIT") }
        hasUnreadEnd = true
    }

    /// Ends a transaction without its effects. A connection that cannot do it is spent.
    func rollBack() {
        (opening, later) = ([], [])
        settle()
        guard !isSpent, PQtransactionStatus(raw) != PQTRANS_IDLE else { return }
        answerEnd = .now + .seconds(5)
        defer { answerEnd = nil }
        do { try run("ROLLBACK") } catch { isSpent = true }
        if PQtransactionStatus(raw) != PQTRANS_IDLE { isSpent = true }
    }
}
