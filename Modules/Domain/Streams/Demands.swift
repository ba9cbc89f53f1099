/// How many elements a reader has asked for and not got. A cancelled wait takes none.
actor Demands {
    private var count = 0
    private var waiter: (number: Int, continuation: CheckedContinuation<Bool, Never>)?
    private var lastNumber = 0

    func add() {
        guard let waiter else {
            count += 1
            return
        }
        self.waiter = nil
        waiter.continuation.resume(returning: true)
    }

    /// Waits for a demand and takes it. One task at a time.
    ///
    /// - Returns: `false` when the task is cancelled.
    func take() async -> Bool {
        guard !Task.isCancelled else { return false }
        guard count == 0 else {
            count -= 1
            return true
        }
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter = (number, $0) }
        } onCancel: {
            Task { await self.abandon(number) }
        }
    }

    private func abandon(_ number: Int) {
        guard let waiter, waiter.number == number else { return }
        self.waiter = nil
        waiter.continuation.resume(returning: false)
    }
}
