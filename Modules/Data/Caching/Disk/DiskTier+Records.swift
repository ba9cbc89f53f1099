package import FoundationEssentials
import StrataDomain

extension DiskTier {
    /// The outcome of storing a record.
    package enum Storing: Sendable {
        case stored
        /// The record depends on a scope that was invalidated since its fetch began.
        case outdated
        /// Too large, or the disk failed. The replaced records are removed in any case.
        case lost
    }

    // MARK: - Reads

    func record(_ key: KeyDigest, _ item: UUID? = nil) -> DiskRecord? {
        touching { try RecordTable.record(key, item, in: $0) }
    }

    package func body(_ key: KeyDigest, _ item: UUID) -> Data? {
        touching { try RecordTable.body(key, item, in: $0) }
    }

    /// The records of a key without their bodies, latest first.
    package func heads(of key: KeyDigest) -> [DiskRecord] { file.read { try RecordTable.heads(of: key, in: $0) } ?? [] }

    // MARK: - Changes

    /// - Parameters:
    ///   - replaced: Other items of the key that go in the same step.
    ///   - condition: Stores only where this holds; `nil` always stores.
    package func store(
        _ record: DiskRecord, for key: KeyDigest, replacing replaced: [UUID], if condition: SharedGeneration?
    ) -> Storing {
        let bytes = record.head.count + record.body.count + record.tags.reduce(0) { $0 + $1.utf8.count }
        let gone = replaced.map { Optional($0) } + [record.item]
        // A quarter of the limit at most, so that a huge record cannot evict all others.
        if isUseful, record.body.count <= file.limit / 4 {
            let stored = storing(bytes + 8 * RecordTable.pageBytes) { database -> Bool in
                if let condition, try !condition.holds(in: database) { return false }
                for item in gone { try RecordTable.remove(key, item, in: database) }
                try RecordTable.upsert(record, for: key, in: database)
                if record.item != nil {
                    try RecordTable.removeAll(of: key, keeping: RecordTable.mostItems, in: database)
                }
                return true
            }
            if let stored { return stored ? .stored : .outdated }
        }
        // The old value must not outlive the attempt to replace it. A look needs no lock.
        let isThere = file.read { database in
            try gone.contains { try RecordTable.holds(key, $0, in: database) }
        }
        if isThere == false { return .lost }
        removing { for item in gone { try RecordTable.remove(key, item, in: $0) } }
        return .lost
    }

    /// Replaces head and end of a record that is there; if that fails, it is removed.
    package func update(
        _ key: KeyDigest, _ item: UUID, head: Data, keptUntil: Date, if condition: SharedGeneration?
    ) -> Storing {
        guard isUseful else { return .lost }
        let updated = write { database -> Bool in
            if let condition, try !condition.holds(in: database) { return false }
            try RecordTable.update(key, item, head: head, keptUntil: keptUntil, in: database)
            return true
        }
        if let updated { return updated ? .stored : .outdated }
        // An old head may say that it is fresh.
        remove(key, [item])
        return .lost
    }

    /// Replaces head and end of the one record of a key, if its head is `old`; if that fails, it stays as it was.
    ///
    /// - Returns: `.outdated` also for a record with another head, `.lost` also without one.
    func update(
        _ key: KeyDigest, replacing old: Data, head: Data, keptUntil: Date, if condition: SharedGeneration?
    ) -> Storing {
        guard isUseful else { return .lost }
        let outcome = write { database -> Storing in
            if let condition, try !condition.holds(in: database) { return .outdated }
            guard try RecordTable.holds(key, nil, in: database) else { return .lost }
            let isUpdated = try RecordTable.update(
                key, nil, replacing: old, head: head, keptUntil: keptUntil, in: database)
            return isUpdated ? .stored : .outdated
        }
        return outcome ?? .lost
    }

    package func remove(_ key: KeyDigest, _ items: [UUID]) {
        if items.isEmpty { return }
        removing { for item in items { try RecordTable.remove(key, item, in: $0) } }
    }

    package func removeAll(of key: KeyDigest) { removing { try RecordTable.removeAll(of: key, in: $0) } }

    package func removeExpired() {
        guard isUseful else { return }
        _ = write { [now = clock.now] in try RecordTable.removeExpired(at: now, in: $0) }
    }
}
