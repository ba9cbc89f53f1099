import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain
import StrataTesting

/// The journal of a machine in memory: its entries, and what an import stores.
final class JournalDouble: Sendable {
    struct State: Sendable {
        /// Sizes of the batches that were imported, in order.
        var batches: [Int] = []
        /// Entries that fit. A batch that does not fit is refused as on a full disk.
        var room = Int.max
        fileprivate var imported = 0
    }

    let entries: MemoryEntityRepository<JournalEntry>
    private let state = Mutex(State())

    init(_ items: [Stored<JournalEntry>] = []) {
        entries = MemoryEntityRepository(items, prefix: "e")
        entries.change { ($0.origin, $0.syncState) = (.local, .queued) }
    }

    var current: State { state.withLock { $0 } }
    func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func journal(
        advice: JournalSurroundings = JournalSurroundings(), settle: @escaping @Sendable () async -> Void = {}
    ) -> Journal {
        let clock = ManualWallClock(.noon)
        let useCases = EntityUseCases(entries) { given, isNew throws(DomainError) in
            try await advice.advice(on: given, isNew: isNew, now: clock.now)
        }
        return Journal(useCases, importLog: importLog(clock: clock), clock: clock, settle: settle)
    }

    func importLog(clock: any WallClock = ManualWallClock()) -> ImportLog {
        ImportLog(identity: smallDigest, clock: clock, timeZone: .gmt) { [self] drafts throws(DomainError) in
            try createAll(drafts)
        }
    }

    private func createAll(_ drafts: [EntityDraft<JournalEntry>]) throws(DomainError) -> [JournalEntry.ID] {
        let fits = state.withLock { state in
            guard state.room >= drafts.count else { return false }
            state.room -= drafts.count
            state.batches.append(drafts.count)
            return true
        }
        guard fits else { throw .storage("The disk is full.") }
        var stored: [JournalEntry.ID] = []
        for draft in drafts {
            let content = try JournalEntry(fields: draft.fields)
            let id = draft.id ?? JournalEntry.ID("i\(nextNumber())")
            entries.change { state in
                guard !state.items.contains(where: { $0.id == id }) else { return }
                state.items.append(Stored(id: id, content, version: 0, updatedAt: .noon, syncState: state.syncState))
                stored.append(id)
            }
        }
        return stored
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.imported += 1
            return state.imported
        }
    }
}

/// Names lines by a small digest (FNV-1a), which is enough for the lines of a test.
@Sendable func smallDigest(_ bytes: [UInt8]) -> String {
    let digest = bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return "line-" + String(digest, radix: 16)
}
