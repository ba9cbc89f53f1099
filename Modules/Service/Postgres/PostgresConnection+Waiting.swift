import CLibPQ
import StrataSystem

/// Waits for the server. Each is a `poll`, which the interrupt of the task ends.
extension PostgresConnection {
    /// The end of a statement whose task was cancelled.
    enum Surrender {
        /// It may still end by itself.
        case tolerated(until: ContinuousClock.Instant)
        /// The server was asked to end it.
        case requested(CancelRequest?, until: ContinuousClock.Instant)

        var end: ContinuousClock.Instant {
            switch self {
            case .tolerated(let end), .requested(_, let end): end
            }
        }
    }

    /// Returns when a notification arrives whose payload is not `own`, when `bell` rings, or at `end`.
    ///
    /// - Returns: Whether a notification has arrived.
    /// - Throws: `CancellationError` when the interrupt is raised.
    func waitForNotification(
        except own: String, or bell: Doorbell?, until end: ContinuousClock.Instant
    ) throws -> Bool {
        while true {
            guard PQconsumeInput(raw) == 1 else { throw lost() }
            var isOther = false
            while let notification = PQnotifies(raw) {
                defer { PQfreemem(notification) }
                if String(cString: notification.pointee.extra) != own { isOther = true }
            }
            if isOther { return true }
            switch ready(for: POLLIN, until: end, heedsInterrupt: true, bell) {
            case .socket: continue
            case .interrupt: throw CancellationError()
            case .bell, .timeout: return false
            }
        }
    }

    private enum Readiness { case socket, interrupt, bell, timeout }

    private func ready(
        for events: Int32, until end: ContinuousClock.Instant?, heedsInterrupt: Bool, _ bell: Doorbell? = nil
    ) -> Readiness {
        while true {
            var entries = [pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)]
            if heedsInterrupt, let interrupt {
                entries.append(pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0))
            }
            if let bell { entries.append(pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)) }
            let count = poll(
                &entries, nfds_t(entries.count),
                end.map { ContinuousClock.now.duration(to: $0).wholeMilliseconds } ?? -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .timeout }
            if entries[0].revents != 0 { return .socket }
            return bell == nil || interrupt?.isRaised == true ? .interrupt : .bell
        }
    }

    /// Waits until the socket is ready. After the interrupt, the statement under way has `waits.ending` to end by itself. Then the
    /// server is asked once to end it, and has a second for it.
    ///
    /// - Throws: `CancellationError` for a connection that is not established a second after the interrupt.
    func wait(for events: Int32) throws {
        while true {
            // Without a socket `poll` would wait for nothing.
            guard PQsocket(raw) >= 0 else { throw lost() }
            try surrenderIfDue()
            let end = [answerEnd, surrender?.end].compactMap(\.self).min()
            switch ready(for: events, until: end, heedsInterrupt: surrender == nil) {
            case .socket: return
            case .interrupt, .bell: continue
            case .timeout:
                if let answerEnd, answerEnd <= .now { throw noted(.noAnswer) }
                // The task is cancelled, and the connection is not used again; the server may be well.
                guard case .tolerated = surrender else {
                    isSpent = true
                    throw CancellationError()
                }
            }
        }
    }

    private func surrenderIfDue() throws {
        let isConnected = PQstatus(raw) == CONNECTION_OK
        switch surrender {
        case nil:
            guard interrupt?.isRaised == true else { return }
            surrender = .tolerated(until: .now + (isConnected ? waits.ending : PostgresWaits.surrender))
        case .tolerated(let end):
            guard end <= .now else { return }
            guard isConnected else { throw CancellationError() }
            let request = CancelRequest(raw)
            surrender = .requested(request, until: .now + PostgresWaits.surrender)
            // On a thread of its own, because this one waits for the end of the statement, and not for a server without a response.
            if let request { Task.detached { await runBlocking { request.send() } } }
        case .requested: return
        }
    }

    /// Ends the use of the connection by a task. A connection is spent when a cancel request for it may come late: it would end
    /// a statement of another task.
    func settle() {
        defer { interrupt = nil }
        guard !isSpent, case .requested(let request, let end) = surrender else { return }
        guard isDirect, let request, request.isDelivered(within: ContinuousClock.now.duration(to: end)) else {
            isSpent = true
            return
        }
    }
}
