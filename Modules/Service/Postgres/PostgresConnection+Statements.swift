import CLibPQ
import StrataService

extension PostgresConnection {
    /// Runs SQL without values; several statements are separated by semicolons.
    ///
    /// - Parameter each: Receives each result.
    /// - Returns: The first column of the last result with a row.
    @discardableResult func run(_ sql: String, _ each: (OpaquePointer) -> Void = { _ in }) throws -> String? {
        try statistics.measuring {
            try sending { PQsendQuery(raw, sql) }
            var last: String?
            let failure = try results { result in
                each(result)
                guard PQntuples(result) > 0, PQnfields(result) > 0, PQgetisnull(result, 0, 0) == 0 else { return }
                last = PQgetvalue(result, 0, 0).map { String(cString: $0) }
            }
            if let failure { throw ended(by: failure) }
            return last
        }
    }

    /// Runs a prepared statement. What has to run before it is sent together with it: the opening of its transaction, the condition of
    /// its read, the statements that wait, and its own preparation.
    ///
    /// - Parameter row: Receives each row until it returns `false` or throws.
    /// - Returns: Number of changed rows.
    @discardableResult
    func run(_ statement: Statement, _ row: (StoreRow) throws -> Bool = { _ in true }) throws -> Int {
        try batch(LaterStatement(statement), commits: false, row).changed
    }

    /// Sends what waits, then `last`, then COMMIT, and reads the results of all of them. After a failure the server skips the rest.
    ///
    /// - Parameter row: Receives each row of `last`.
    /// - Returns: The rows that `last` changed, and the command tag of COMMIT.
    func batch(
        _ last: LaterStatement?, commits: Bool, _ row: (StoreRow) throws -> Bool = { _ in true }
    ) throws -> (changed: Int, tag: String) {
        try statistics.measuring {
            if lone != nil, let last { try countAlone(last.sql) }
            var names: [String: String] = [:]
            let before = try opening.map { try step(LaterStatement($0), &names) }
            let (waiting, condition) = (later, condition)
            let asking = try condition.map { try step(LaterStatement($0.statement), &names) }
            let steps = waiting.map { step($0, &names) }
            let own = last.map { step($0, &names) }
            try send(before + [asking].compactMap(\.self) + steps + [own].compactMap(\.self), commits: commits)
            (opening, later, self.condition) = ([], [], nil)
            var failure: PostgresFailure?
            var violation: (any Error)?
            for step in before {
                try prepare(step, &failure)
                let own = try results { result in
                    let column = PQnfields(result) - 1
                    guard PQntuples(result) > 0 else { return }
                    openingValue = PQgetvalue(result, 0, column).map { String(cString: $0) }
                }
                failure = failure ?? own
            }
            if let asking, let condition {
                try prepare(asking, &failure)
                var first: StoreRow?
                let own = try rows { row in
                    first = row
                    return false
                }
                failure = failure ?? own.failure
                if failure == nil { do { try condition.check(first) } catch { refusal = error } }
            }
            for (step, statement) in zip(steps, waiting) {
                try prepare(step, &failure)
                guard var own = try results({ _ in }), failure == nil else { continue }
                own.sql = statement.sql
                failure = own
                if own.isViolation { violation = statement.violation }
            }
            var (changed, tag) = (0, "")
            var thrown = refusal
            if let own, let last {
                try prepare(own, &failure)
                var result = try rows(refusal == nil ? row : { _ in false })
                result.failure?.sql = last.sql
                if failure == nil, result.failure?.isViolation == true { violation = last.violation }
                (failure, thrown, changed) = (failure ?? result.failure, thrown ?? result.thrown, result.changed)
            }
            if commits {
                let own = try results { tag = PQcmdStatus($0).map { String(cString: $0) } ?? "" }
                failure = failure ?? own
            }
            // The end of the batch.
            let end = try results { _ in }
            guard PQexitPipelineMode(raw) == 1 else { throw lost() }
            if let failure = failure ?? end {
                let error = ended(by: failure)
                throw violation ?? error
            }
            if let thrown { throw thrown }
            return (changed, tag)
        }
    }

    /// Reads the result of a statement row by row.
    ///
    /// - Returns: The number of changed rows, what `row` threw, and why the statement failed.
    private func rows(
        _ row: (StoreRow) throws -> Bool
    ) throws -> (changed: Int, thrown: (any Error)?, failure: PostgresFailure?) {
        PQsetSingleRowMode(raw)
        var (count, wantsMore, columns) = (0, true, [String: Int]())
        var error: (any Error)?
        let failure = try results { result in
            if let text = PQcmdTuples(result), let number = Int(String(cString: text)) { count = number }
            guard wantsMore, PQntuples(result) > 0 else { return }
            if columns.isEmpty { columns = PostgresRow.columns(result) }
            for number in 0..<PQntuples(result) where wantsMore {
                do { wantsMore = try row(PostgresRow.row(number, of: result, columns)) } catch let thrown {
                    (error, wantsMore) = (thrown, false)
                }
            }
        }
        return (count, error, failure)
    }

    /// A statement on its way to the server.
    private struct Step {
        let name: String
        let parameters: PostgresParameters
        /// The SQL, and what `prepared` knows it by; `nil` for a statement that is prepared.
        let preparation: (sql: String, key: String)?
    }

    /// - Parameter names: The statements that this batch prepares.
    private func step(_ statement: LaterStatement, _ names: inout [String: String]) -> Step {
        let (sql, parameters) = (statement.sql, statement.parameters)
        let key = "\(isWriting ? "w" : "r")\(parameters.signature) \(sql)"
        if let name = prepared[key] ?? names[key] { return Step(name: name, parameters: parameters, preparation: nil) }
        lastName += 1
        names[key] = "s\(lastName)"
        return Step(name: "s\(lastName)", parameters: parameters, preparation: (sql, key))
    }

    private func send(_ steps: [Step], commits: Bool) throws {
        try sending {
            guard PQenterPipelineMode(raw) == 1 else { return 0 }
            for step in steps {
                let (name, parameters) = (step.name, step.parameters)
                if let preparation = step.preparation {
                    let count = CInt(parameters.types.count)
                    guard PQsendPrepare(raw, name, preparation.sql, count, parameters.types) == 1 else { return 0 }
                }
                guard parameters.send(to: raw, name) == 1 else { return 0 }
            }
            if commits {
                guard PQsendQueryParams(raw, "COMMIT", 0, nil, nil, nil, nil, 0) == 1 else { return 0 }
            }
            return PQpipelineSync(raw)
        }
    }

    /// Reads the answer to the preparation of a statement.
    private func prepare(_ step: Step, _ failure: inout PostgresFailure?) throws {
        guard let preparation = step.preparation else { return }
        var isPrepared = false
        let own = try results { _ in isPrepared = true }
        failure = failure ?? own
        if isPrepared { prepared[preparation.key] = step.name }
    }

    private func ended(by failure: PostgresFailure) -> any Error {
        if failure.isCancelled, interrupt?.isRaised == true { return CancellationError() }
        return noted(failure)
    }
}
