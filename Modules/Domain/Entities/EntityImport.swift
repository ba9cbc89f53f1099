/// A repository that stores the rows of an import in its own way.
package protocol ImportingRepository<Content>: EntityRepository {
    /// The policy of a read that has every entity. Default: `.mustAsk`.
    var completeRead: ReadPolicy { get }

    /// As `EntityRepository.importing`.
    func store(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome]
}

extension ImportingRepository {
    package var completeRead: ReadPolicy { .mustAsk }
}

extension EntityRepository {
    /// Stores rows, each of them once, however often it is called with them.
    ///
    /// - Parameters:
    ///   - rows: Some hundred at a time.
    ///   - isTrial: Nothing is stored; the outcomes are those that the rows would have.
    ///   - context: For values that rows leave out.
    /// - Returns: The outcome of each row, in order.
    /// - Throws: An error that concerns all rows. Those before it may be stored.
    package func importing(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome] {
        if let own = self as? any ImportingRepository<Content> {
            return try await own.store(rows, isTrial: isTrial, context)
        }
        var outcomes: [ImportOutcome] = []
        for row in rows { outcomes.append(try await outcome(of: row, isTrial: isTrial, context) { _ in nil }) }
        return outcomes
    }

    /// Stores one row.
    ///
    /// - Parameter create: Creates the entity of the row; `nil` where the repository chooses ids and repeats no create.
    func outcome(
        of row: ImportRow<Content>, isTrial: Bool, _ context: NewEntityContext,
        create: (ImportRow<Content>) async throws(DomainError) -> ImportOutcome?
    ) async throws(DomainError) -> ImportOutcome {
        try await ImportOutcome { () throws(DomainError) in
            switch try row.step(over: try await stored(row), context) {
            case .none: return .unchanged
            case .update(let stored, let content):
                if !isTrial { _ = try await update(stored.id, to: content, basedOn: stored.version) }
                return .updated
            case .create(let content):
                if let id = row.id, !Content.acceptsIDs {
                    throw .notFound(
                        "There is no \(Content.noun) '\(id)', and the server chooses the ids of new ones; leave the id empty."
                    )
                }
                if isTrial { return .created }
                if let outcome = try await create(row) { return outcome }
                _ = try await self.create(content)
                return .created
            }
        }
    }

    private func stored(_ row: ImportRow<Content>) async throws(DomainError) -> Stored<Content>? {
        guard let id = row.id else { return nil }
        do throws(DomainError) { return try await get(id, .mustAsk).value } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }
}

extension EntityUseCases {
    /// The policy of a read that has every entity: an export.
    package var completeRead: ReadPolicy { (repository as? any ImportingRepository<Content>)?.completeRead ?? .mustAsk }

    /// As `EntityRepository.importing`.
    package func importing(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome] {
        let outcomes = try await repository.importing(rows, isTrial: isTrial, context)
        let written = outcomes.count { $0 == .created || $0 == .updated }
        if !isTrial, written > 0 { await noteWrite(OnlineWrite(importOf: written, into: Content.collection)) }
        return outcomes
    }
}

extension RemoteEntityRepository: ImportingRepository {
    /// Requests that run at the same time.
    private static var width: Int { 8 }

    /// Straight to the server. An idempotency key that follows from the file lets a create take effect once within 24 hours; an entity
    /// that accepts ids gets one, which has no end.
    package func store(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome] {
        let result = await withTaskGroup(of: (Int, Result<ImportOutcome, DomainError>).self) { group in
            var outcomes: [ImportOutcome?] = Array(repeating: nil, count: rows.count)
            var failure: DomainError?
            var rest = rows.indices[...]
            func start() {
                guard failure == nil, let index = rest.popFirst() else { return }
                let row = rows[index]
                group.addTask {
                    do throws(DomainError) {
                        return (index, .success(try await outcome(of: row, isTrial: isTrial, context, create: created)))
                    } catch { return (index, .failure(error)) }
                }
            }
            for _ in 0..<Self.width { start() }
            for await (index, result) in group {
                switch result {
                case .success(let outcome): outcomes[index] = outcome
                case .failure(let error):
                    // The first reason; the others are cancelled because of it.
                    if failure == nil { failure = error }
                    group.cancelAll()
                }
                start()
            }
            return failure.map { Result<[ImportOutcome], DomainError>.failure($0) }
                ?? .success(outcomes.compactMap { $0 })
        }
        return try result.get()
    }

    /// Sends what the row states: the same bytes in each import of the file, as the key demands.
    private func created(_ row: ImportRow<Content>) async throws(DomainError) -> ImportOutcome? {
        let id = Content.acceptsIDs ? row.id ?? Identifier(row.name) : nil
        do throws(NetworkError) {
            let call = CreateEntity<Content>(fields: row.given, id: id)
            let response = try await client.response(to: call, options: CallOptions(idempotencyKey: row.name))
            return response.head.headers["Idempotency-Replayed"] == nil ? .created : .unchanged
        } catch {
            if case .conflict(let problem) = error.kind, let code = problem?.code {
                // An earlier import has created it, and it was changed since.
                if code == "id_taken", row.id == nil { return .unchanged }
                if code == "idempotent_response_dropped" { return .unchanged }
            }
            throw DomainError(error, about: Identifier<Content>?.none, command: command, isWrite: true)
        }
    }
}
