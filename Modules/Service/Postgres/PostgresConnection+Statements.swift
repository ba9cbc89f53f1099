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

    /// Runs a prepared statement. What has to run before it, the opening of its transaction and its own preparation, is sent
    /// together with it.
    ///
    /// - Parameter row: Receives each row until it returns `false` or throws.
    /// - Returns: Number of changed rows.
    @discardableResult
    func run(_ statement: Statement, _ row: (StoreRow) throws -> Bool = { _ in true }) throws -> Int {
        try statistics.measuring {
            let before = try opening.map(step)
            let last = try step(statement)
            try send(before + [last])
            opening = []
            var failure: PostgresFailure?
            for step in before {
                try prepare(step, &failure)
                let own = try results { result in
                    let column = PQnfields(result) - 1
                    guard PQntuples(result) > 0 else { return }
                    openingValue = PQgetvalue(result, 0, column).map { String(cString: $0) }
                }
                // The lock of writers, which is in the opening alone. The body may catch its error.
                if let own, own.isLockTimeout { setback = setback ?? own }
                failure = failure ?? own
            }
            try prepare(last, &failure)
            PQsetSingleRowMode(raw)
            var (changed, wantsMore, columns) = (0, true, [String: Int]())
            var thrown: (any Error)?
            let own = try results { result in
                if let count = PQcmdTuples(result), let number = Int(String(cString: count)) { changed = number }
                guard wantsMore, PQntuples(result) > 0 else { return }
                if columns.isEmpty { columns = PostgresRow.columns(result) }
                for number in 0..<PQntuples(result) where wantsMore {
                    do { wantsMore = try row(PostgresRow.row(number, of: result, columns)) } catch {
                        (thrown, wantsMore) = (error, false)
                    }
                }
            }
            // The end of the batch.
            let end = try results { _ in }
            guard PQexitPipelineMode(raw) == 1 else { throw lost() }
            if let failure = failure ?? own ?? end { throw ended(by: failure) }
            if let thrown { throw thrown }
            return changed
        }
    }

    /// A statement on its way to the server.
    private struct Step {
        let name: String
        let parameters: PostgresParameters
        /// The SQL, and what `prepared` knows it by; `nil` for a statement that is prepared.
        let preparation: (sql: String, key: String)?
    }

    private func step(_ statement: Statement) throws -> Step {
        let parameters = try PostgresParameters(statement.values)
        let sql = statement.sql { "$\($0)" }
        let key = "\(parameters.signature) \(sql)"
        if let name = prepared[key] { return Step(name: name, parameters: parameters, preparation: nil) }
        lastName += 1
        return Step(name: "s\(lastName)", parameters: parameters, preparation: (sql, key))
    }

    private func send(_ steps: [Step]) throws {
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
