public import Observation
public import StrataDomain

/// An upload or a download, for a view.
@Observable @MainActor
public final class TransferModel {
    /// Where a transfer is.
    public enum State: Sendable, Hashable {
        /// Before its start, under way, complete, or ended by the user.
        case waiting, running, finished, cancelled
        /// Ended by an error.
        case failed(DomainError)
    }

    /// Where the transfer is now.
    public private(set) var state = State.waiting
    /// Bytes transferred, and the total once it is known.
    public private(set) var count = TransferCount(bytes: 0)

    /// A model of a transfer that has not begun.
    public init() {}

    /// The share of the total, from 0 to 1; `nil` while the total is not known.
    public var fraction: Double? {
        guard let total = count.total else { return nil }
        return total > 0 ? min(1, max(0, Double(count.bytes) / Double(total))) : 1
    }

    /// Runs a transfer and follows its progress. A model may run one after another.
    ///
    /// - Parameters:
    ///   - progress: That of the transfer; nothing else may observe it.
    ///   - transfer: Reports to `progress`.
    /// - Throws: The error of `transfer`, which is also in `state`.
    public func run<Value: Sendable>(
        _ progress: TransferProgress, _ transfer: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        count = TransferCount(bytes: 0)
        state = .running
        async let result = Self.result(of: transfer, progress)
        for await newer in progress.updates where count != newer { count = newer }
        do {
            let value = try await result.get()
            state = .finished
            return value
        } catch {
            let failure = DomainError(error)
            state = failure == .cancelled ? .cancelled : .failed(failure)
            throw error
        }
    }

    private nonisolated static func result<Value: Sendable>(
        of transfer: @Sendable () async throws -> Value, _ progress: TransferProgress
    ) async -> Result<Value, any Error> {
        defer { progress.finish() }
        do { return .success(try await transfer()) } catch { return .failure(error) }
    }
}
