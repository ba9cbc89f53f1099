public import FoundationEssentials
public import StrataDomain
import StrataSystem

extension SyncStatus {
    /// How far the rows here are behind the server: `3 unsent · synced 2 min ago`.
    public func freshness(at now: Date) -> String {
        var parts = [pending == 0 ? "all sent" : "\(QuantityText.count(pending)) unsent"]
        if conflicts > 0 { parts.append(QuantityText.count(conflicts, "conflict")) }
        if rejected > 0 { parts.append("\(QuantityText.count(rejected)) refused") }
        parts.append(lastSyncedAt.map { "synced \(TimeText.age(of: $0, at: now)) ago" } ?? "never synced")
        return parts.joined(separator: " · ")
    }

    /// Why a list without rows says nothing about the server, and the next step; `nil` after the first synchronisation.
    var firstStep: String? {
        guard lastSyncedAt == nil else { return nil }
        return "Never synchronised: after a login, '\(ProgramName.current) sync' fetches those of the server."
    }
}
