import FoundationEssentials

/// When a value was stored, until when it is fresh, and until when it is kept.
struct EntrySpan: Sendable, Hashable {
    var storedAt: Date
    var freshUntil: Date
    var keptUntil: Date

    init(storedAt: Date, freshUntil: Date, keptUntil: Date) {
        self.storedAt = storedAt
        self.freshUntil = freshUntil
        self.keptUntil = keptUntil
    }

    init(storedAt: Date, lifetime: Duration, staleFor: Duration) {
        self.storedAt = storedAt
        freshUntil = storedAt.addingTimeInterval(max(0, lifetime.inSeconds))
        keptUntil = freshUntil.addingTimeInterval(staleFor.inSeconds)
    }

    func isOver(at now: Date) -> Bool { now >= keptUntil }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
