extension StoreTransaction {
    /// Runs `body` in a savepoint. When it throws, its effect is rolled back and the transaction continues.
    ///
    /// - Throws: The error of `body`. After `StoreError.unavailable` and `.full` the transaction may be lost: rethrow them.
    public func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT attempt")
        do {
            let result = try body()
            try execute("RELEASE SAVEPOINT attempt")
            return result
        } catch let error as StoreError where error.endsTransaction {
            throw error
        } catch {
            try execute("ROLLBACK TO SAVEPOINT attempt")
            try execute("RELEASE SAVEPOINT attempt")
            throw error
        }
    }
}
