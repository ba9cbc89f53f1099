import Hummingbird
import StrataConcurrency
import StrataDomain

/// Bounds the files and long answers that one caller sends or fetches at a time, so that none takes the places of all.
final class CallerTransfers: Sendable {
    private let limit: Int
    private let running = Mutex<[String: Int]>([:])

    /// - Parameter limit: At least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// - Parameter caller: The principal, or the address of a caller without credentials.
    /// - Throws: 429 (RFC 6585, section 4) when the caller has no place left.
    func take(for caller: String) throws -> Place {
        let isTaken = running.withLock { running in
            guard running[caller, default: 0] < limit else { return false }
            running[caller, default: 0] += 1
            return true
        }
        guard isTaken else {
            throw ServiceError(
                429, code: "too_many_transfers", title: "Too many transfers",
                detail: "You have \(limit) files or long answers under way; wait for one to end. Try again in 1 s.",
                headers: ["Retry-After": "1"])
        }
        return Place(caller: caller, transfers: self)
    }

    private func leave(_ caller: String) {
        running.withLock { running in
            guard let count = running[caller] else { return }
            running[caller] = count > 1 ? count - 1 : nil
        }
    }

    /// Held by a transfer; free again with its end.
    final class Place: Sendable {
        private let caller: String
        private let transfers: CallerTransfers

        fileprivate init(caller: String, transfers: CallerTransfers) {
            self.caller = caller
            self.transfers = transfers
        }

        deinit { transfers.leave(caller) }
    }
}

extension Response {
    /// The same answer; `place` is held until its content was written or is dropped.
    func holding(_ place: CallerTransfers.Place) -> Response {
        var response = self
        let body = body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            withExtendedLifetime(place) {}
        }
        return response
    }
}
