package import FoundationEssentials
package import StrataDomain

/// What the journal asks about the world beside it before something is written; nothing here is needed to write.
package struct JournalSurroundings: Sendable {
    /// Seconds by which the server's clock is ahead of this machine's; `nil` while that is not known.
    package let clockOffset: @Sendable () async -> TimeInterval?
    /// Whether a runbook of that id exists, as far as that can be told in a moment.
    package let runbook: @Sendable (_ id: String) async -> RunbookStanding

    /// Default: nothing is known.
    package init(
        clockOffset: @escaping @Sendable () async -> TimeInterval? = { nil },
        runbook: @escaping @Sendable (_ id: String) async -> RunbookStanding = { _ in .known }
    ) {
        self.clockOffset = clockOffset
        self.runbook = runbook
    }
}

package enum RunbookStanding: Sendable, Hashable {
    /// It is kept here, or the server has it.
    case known
    /// The server does not have it.
    case unknown
    /// It is not kept here, and the server could not be asked.
    case unchecked
}

extension JournalSurroundings {
    /// Refuses what the server would refuse later, when the entry is stored and its writer has gone.
    ///
    /// - Parameters:
    ///   - given: The fields that are given. A new entry without a time has the present one.
    ///   - now: The time of this machine.
    /// - Returns: What is to be said about the entry once it is stored.
    /// - Throws: `.validation` for a time that lies more than a day ahead of the server's; `.notFound` for a runbook that
    ///   does not exist. Nothing is stored then.
    package func advice(
        on given: [String: JSONValue], isNew: Bool, now: Date
    ) async throws(DomainError) -> [String] {
        var warnings: [String] = []
        let occurredAt = given["occurred_at"].flatMap(Date.init(fieldValue:)) ?? (isNew ? now : nil)
        if let occurredAt, let offset = await clockOffset() {
            let skew = abs(offset) > Self.tolerated ? "this machine's clock is \(Self.words(offset)) the server's" : nil
            var check = FieldCheck()
            // A time that a person names is refused only if it is too late for both clocks: the offset may be old.
            let server = now.addingTimeInterval(offset)
            JournalEntry.check(
                occurredAt: occurredAt, at: occurredAt == now ? server : max(now, server), into: &check)
            try check.orThrow(
                "The entry was not stored"
                    + (skew.map { ": \($0), which refuses such times. Set the clock, or give --at" } ?? "") + ".")
            if let skew, occurredAt == now {
                warnings.append("The entry has the time of this machine, and \(skew). Set the clock, or give --at.")
            }
        }
        if let runbookId = given["runbook_id"]?.string {
            switch await runbook(runbookId) {
            case .known: break
            case .unknown:
                throw .notFound(
                    "No runbook '\(runbookId)' exists, and the entry was not stored; 'shiftlog runbooks list' shows those "
                        + "that do.")
            case .unchecked:
                warnings.append(
                    "Whether a runbook '\(runbookId)' exists could not be checked: it is not kept here, and the server was "
                        + "not asked or did not answer.")
            }
        }
        return warnings
    }

    /// Seconds that are not worth a word.
    private static let tolerated: TimeInterval = 300

    /// `3 hours ahead of`, `10 days behind`.
    private static func words(_ offset: TimeInterval) -> String {
        let seconds = Int(min(abs(offset), 1e12))
        let (count, unit) =
            if seconds < 2 * 3600 { (seconds / 60, "minutes") } else if seconds < 2 * 86_400 {
                (seconds / 3600, "hours")
            } else {
                (seconds / 86_400, "days")
            }
        return "\(count) \(unit) \(offset < 0 ? "ahead of" : "behind")"
    }
}
