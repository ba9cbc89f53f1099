extension StoreTransaction {
    /// Runs `body`; when it throws, its effect is undone and the transaction goes on.
    ///
    /// - Throws: What `body` throws. `StoreError.unavailable` means that the transaction itself may be gone; let it
    ///   pass.
    public func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT attempt")
        do {
            let result = try body()
            try execute("RELEASE SAVEPOINT attempt")
            return result
        } catch StoreError.unavailable(let reason) {
            throw StoreError.unavailable(reason)
        } catch {
            try execute("ROLLBACK TO SAVEPOINT attempt")
            try execute("RELEASE SAVEPOINT attempt")
            throw error
        }
    }
}
