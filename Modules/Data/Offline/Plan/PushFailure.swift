import StrataDomain

/// The next step after a batch without results.
enum PushFailure: Hashable, Sendable {
    /// End this run; the entries wait.
    ///
    /// `untouched` says that no server has seen them, nor ever will, so that they may still be changed.
    case stop(untouched: Bool)
    /// One of the entries may be the reason: send the halves on their own.
    case split
    /// This one entry is the reason and will never be accepted.
    case refuse
    /// The entries were made for earlier data of the server; fetch the present data first.
    case replace
    /// This one entry fails for now; go on with the others.
    case leave
    /// The same, and no server has seen the entry.
    case leaveUntouched

    init(_ error: NetworkError, count: Int) {
        // The token endpoint failed: the push was not sent, or refused for its token before any entry was read.
        if error.isFromRefresh {
            self = .stop(untouched: error.attempts.count <= 1)
            return
        }
        let isAlone = count == 1
        // The cursor is refused, not the entries, whatever the status.
        if SyncCode.endsCursor.contains(error.problem?.code ?? "") {
            self = .replace
            return
        }
        self =
            switch error.kind {
            case .offline, .circuitOpen, .invalidRequest, .storage: .stop(untouched: error.attempts.count <= 1)
            // The server may accept the same request later, when its clock is right again or the session is known. A
            // response without a problem document does not come from this backend.
            case .unauthorized, .forbidden, .notFound, .rateLimited, .validation(nil):
                .stop(untouched: error.attempts.isEmpty)
            case .validation, .status(413, _): isAlone ? .refuse : .split
            case .server(500, _), .decoding: isAlone ? .leave : .split
            case .timeout, .connectionLost, .tls, .conflict, .status, .server, .invalidResponse, .cancelled,
                .unexpected:
                .stop(untouched: false)
            }
    }
}

extension SyncCode {
    /// Codes that make the cursor unusable; the next pull starts without one.
    static let endsCursor: Set = [epochChanged, scopeChanged, cursorExpired, invalidCursor]
}
