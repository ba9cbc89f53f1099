import CLibPQ
import StrataService

extension PostgresConnection {
    /// Prepared statements of a connection; more are forgotten before its next transaction.
    private static let mostPrepared = 500

    /// Begins a transaction: its first statement takes `opening` along in one round trip. A transaction without a statement
    /// sends nothing.
    func begin(_ opening: [Statement]) throws {
        (setback, openingValue, isAnnounced) = (nil, nil, false)
        if hasUnreadEnd {
            hasUnreadEnd = false
            if let failure = try results({ _ in }) { throw noted(failure) }
        }
        if prepared.count > Self.mostPrepared {
            prepared = [:]
            try run("DEALLOCATE ALL")
        }
        self.opening = opening
    }

    /// - Parameter sql: Its last statement is COMMIT.
    /// - Throws: `StoreError.failed` when the server rolled back instead, after a failed statement whose error was caught.
    func commit(_ sql: String) throws {
        guard opening.isEmpty else { return rollBack() }
        var tag = ""
        try run(sql) { tag = PQcmdStatus($0).map { String(cString: $0) } ?? "" }
        guard tag == "COMMIT" else { throw PostgresFailure.aborted.storeError() }
    }

    /// Ends a transaction that changed nothing. The next transaction reads the response.
    func end() throws {
        guard opening.isEmpty else { return rollBack() }
        try sending { PQsendQuery(raw, "COMMIT") }
        hasUnreadEnd = true
    }

    /// Ends a transaction without its effects. A connection that cannot do it is spent.
    func rollBack() {
        opening = []
        settle()
        guard !isSpent, PQtransactionStatus(raw) != PQTRANS_IDLE else { return }
        answerEnd = .now + .seconds(5)
        defer { answerEnd = nil }
        do { try run("ROLLBACK") } catch { isSpent = true }
        if PQtransactionStatus(raw) != PQTRANS_IDLE { isSpent = true }
    }
}
