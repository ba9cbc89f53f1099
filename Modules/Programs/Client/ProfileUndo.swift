import FoundationEssentials
import Logging
import StrataConcurrency
public import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal

/// Takes back the last write of the profile, wherever it was made.
struct ProfileUndo: WriteUndo {
    let wiring: Wiring
    let store: OfflineStore
    /// Waits a short time for a write to reach the server; why something is still queued.
    let unsent: @Sendable () async -> UnsentReason?

    func undo() async throws(DomainError) -> UndoneWrite {
        let reason = Reason()
        let undone = try await store.undo(
            server: wiring.origin, account: wiring.account?.userId,
            settle: {
                let found = await unsent()
                reason.value.withLock { $0 = found }
            }, takeBack: takeBack)
        switch undone.outcome {
        // Another write may be queued still; it is not asked about.
        case .removedFromOutbox, .inverseSent: break
        case .inverseQueued, .createdAgain:
            if let reason = reason.value.withLock({ $0 }) { wiring.console.noteLater(reason.sentence) }
        }
        return undone
    }

    /// Why the inverse is queued still.
    private final class Reason: Sendable {
        let value = Mutex<UnsentReason?>(nil)
    }

    /// - Throws: `.conflict` also when no command of the program writes such entities at the server.
    @Sendable private func takeBack(_ write: OnlineWrite) async throws(DomainError) -> UndoneWrite {
        let sets = wiring.settings.program.commands
        guard let takeBack = sets.lazy.compactMap({ $0.takesBack[write.collection] }).first else {
            throw .conflict(
                "The last write was \(write.name), straight at the server; this program cannot take it back.")
        }
        do { return try await takeBack(wiring, write) } catch { throw DomainError(error) }
    }
}

extension Wiring {
    /// Of the server.
    fileprivate var origin: String { "\(settings.server.origin)" }

    /// Notes a write that the server has made, for `undo`. A failure is told and does not fail the write.
    ///
    /// A composition of your own sets `EntityUseCases.noteWrite` to it.
    @Sendable public func note(_ write: OnlineWrite) async {
        // Also after Ctrl-C: the server has made the write.
        let failure = await Task { () -> DomainError? in
            do throws(DomainError) {
                let database = try await LocalData.open(self, logger: logs(.offline))
                try await database.note(write, server: origin, account: account?.userId)
                return nil
            } catch { return error }
        }.value
        guard let failure else { return }
        console.noteLater(
            "The server has made the write, but it could not be noted here: '\(settings.program.name) undo' does not know it and may take "
                + "back an earlier one. \(failure)")
    }

    /// Removes what an online write replaced, unless it is of `account`, as the caches are cleared when the account changes.
    func forgetOnlineWrite(unlessOf account: SessionAccount?) async {
        guard FileManager.default.fileExists(atPath: LocalData.path(settings)) else { return }
        do throws(DomainError) {
            let database = try await LocalData.open(self, logger: logs(.offline))
            try await database.forgetOnlineWrite(unlessOf: account?.userId, at: origin)
        } catch {
            logs(.offline).warning("The values for 'undo' could not be removed.", metadata: ["reason": "\(error)"])
        }
    }
}
