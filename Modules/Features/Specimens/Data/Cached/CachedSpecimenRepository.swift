package import SpecimensDomain
package import StrataCaching
package import StrataDomain

/// Specimens from the server through a response cache: what is kept at once, refreshed behind, and still there when the
/// server is not.
package struct CachedSpecimenRepository: SpecimenRepository {
    private let remote: any SpecimenRepository
    private let reader: CachedReader
    private let principal: String

    /// - Parameters:
    ///   - remote: Asks the server.
    ///   - reader: The one reader of its cache in this process.
    ///   - principal: Who is asking which server; answers for one are never shown to another.
    package init(remote: any SpecimenRepository, reader: CachedReader, principal: String) {
        self.remote = remote
        self.reader = reader
        self.principal = principal
    }

    package func specimens(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        let snapshot = try await list(policy)
        await show { shown in
            let newest = snapshot.value.map { ($0.id.rawValue, max($0.version, shown[$0.id.rawValue] ?? 0)) }
            shown = Dictionary(newest) { $1 }
        }
        return snapshot
    }

    private func list(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        try await reader.read([Stored<Specimen>].self, listKey, policy: policy, tags: tags) {
            () throws(DomainError) in try await remote.specimens(.mustAsk).value
        }
    }

    /// The specimen; while the server cannot be reached also from the kept list.
    package func specimen(
        _ id: Specimen.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        let snapshot = try await item(id, policy)
        await show { $0[id.rawValue] = max(snapshot.value.version, $0[id.rawValue] ?? 0) }
        return snapshot
    }

    private func item(
        _ id: Specimen.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        do throws(DomainError) {
            return try await reader.read(Stored<Specimen>.self, key(id), policy: policy, tags: tags) {
                () throws(DomainError) in try await remote.specimen(id, .mustAsk).value
            }
        } catch .unavailable(let reason) {
            guard let list = await keptList, let specimen = list.value.first(where: { $0.id == id }) else {
                throw .unavailable(reason)
            }
            return list.with(specimen)
        }
    }

    /// A refresh behind may have brought what nobody has seen: the server refuses an edit of that.
    package func editBase(_ id: Specimen.ID) async throws(DomainError) -> Stored<Specimen> {
        var base = try await item(id, .cacheFirst).value
        guard let version = await shown[id.rawValue] else { return base }
        if base.version < version { base = try await item(id, .refresh).value }
        base.version = min(base.version, version)
        return base
    }

    package func add(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen> {
        let stored = try await forgetting { () throws(DomainError) in try await remote.add(specimen) }
        await note(stored.id, stored)
        return stored
    }

    package func update(
        _ id: Specimen.ID, to specimen: Specimen, basedOn version: Int
    ) async throws(DomainError) -> Stored<Specimen> {
        let stored = try await forgetting { () throws(DomainError) in
            try await remote.update(id, to: specimen, basedOn: version)
        }
        await note(id, stored)
        return stored
    }

    package func remove(_ id: Specimen.ID, basedOn version: Int) async throws(DomainError) {
        try await forgetting { () throws(DomainError) in try await remote.remove(id, basedOn: version) }
        await note(id, nil)
    }

    package func changes() -> AsyncStream<Void> {
        let updates = reader.updates([Stored<Specimen>].self, for: listKey)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let task = Task {
            for await _ in updates { continuation.yield() }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private let tags: Set = [Specimen.collection]
    private var listKey: CacheKey { CacheKey(principal: principal, path: Specimen.collection) }
    private func key(_ id: Specimen.ID) -> CacheKey {
        CacheKey(principal: principal, path: "\(Specimen.collection)/\(id)")
    }

    private var keptList: Snapshot<[Stored<Specimen>]>? {
        get async { try? await list(.cacheOnly) }
    }

    // MARK: - What was shown

    /// Long, since an outage or a holiday may lie between reading and editing.
    private static let shownLifetime = Duration.seconds(90 * 86_400)
    /// No path of the server, and not invalidated with what is kept.
    private var shownKey: CacheKey { CacheKey(principal: principal, path: "shown:\(Specimen.collection)") }

    /// The newest versions that were shown, by id; what a list has no more is forgotten.
    private var shown: [String: Int] {
        get async {
            let kept = try? await reader.read([String: Int].self, shownKey, policy: .cacheOnly) {
                () throws(DomainError) in throw .cancelled
            }
            return kept?.value ?? [:]
        }
    }

    private func show(_ change: (inout [String: Int]) -> Void) async {
        let before = await shown
        var after = before
        change(&after)
        if after != before { await reader.keep(after, for: shownKey, lifetime: Self.shownLifetime) }
    }

    // MARK: - Writes

    /// What somebody else changed is known to be old here, so it is not shown again.
    private func forgetting<Result>(
        _ write: () async throws(DomainError) -> Result
    ) async throws(DomainError) -> Result {
        do throws(DomainError) { return try await write() } catch {
            switch error {
            case .conflict, .notFound: await reader.invalidate(tag: Specimen.collection)
            default: break
            }
            throw error
        }
    }

    /// Puts an own write on what is kept, which is then due to be asked for again but still there in an outage.
    private func note(_ id: Specimen.ID, _ stored: Stored<Specimen>?) async {
        let list = await keptList?.value
        await reader.invalidate(tag: Specimen.collection)
        if let list {
            let rest = list.filter { $0.id != id }
            let noted = (stored.map { [$0] } ?? []) + rest
            await reader.keep(
                noted.sorted { $0.id.rawValue > $1.id.rawValue }, for: listKey, lifetime: .zero, tags: tags)
        }
        if let stored { await reader.keep(stored, for: key(id), tags: tags) }
        await show { $0[id.rawValue] = stored?.version }
    }
}
