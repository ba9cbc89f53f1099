import StrataDomain

/// What a user may see and change of another's entities, by every route.
extension EntityContract {
    private static var isSeen: Bool { Content.ownership != .author }
    /// The status of a change by another user; `nil` when it is allowed.
    private static var refusal: Int? {
        switch Content.ownership {
        case .everyone, .space: nil
        case .author: 404
        case .readableByAll: 403
        }
    }

    static func ownership(_ client: ContractClients) async throws -> [String] {
        var failures: [String] = []
        func expect(_ isKept: Bool, _ sentence: String) { if !isKept { failures.append(sentence) } }
        let samples = [try Content.sample(), try .sample(2)]
        let rows = try await client.created(samples)
        let (row, tag) = (rows[0], rows[0].entityTag)
        let author = Content.recordsAuthor ? "ada" : nil
        expect(row.author == author, "The author of ada's entity is \(row.author ?? "none").")

        let get = GetEntity<Content>(id: row.id)
        expect(await client.problem(get, as: "bob")?.status == (isSeen ? nil : 404), "bob got ada's entity wrongly.")
        for query in queries(samples[0]) {
            let found = try await client.listed(query, as: "bob").map(\.id)
            let expected = isSeen ? query.entities(of: rows).map(\.id) : []
            expect(found == expected, "bob listed \(found) by '\(query.items.encoded)', not \(expected).")
            let all = try await client.listed(query, as: "admin").map(\.id)
            expect(all == query.entities(of: rows).map(\.id), "An administrator listed \(all).")
        }
        let page = try await client.api.send(ListEntities<Content>(limit: 1))
        let next = try await client.api(as: "bob").send(ListEntities<Content>(cursor: page.nextCursor, limit: nil))
        expect(isSeen || next.items.isEmpty, "bob read on from ada's cursor: \(next.items.map(\.id)).")

        if let refusal {
            let other = try Content.sample(3)
            let refused = [
                await client.refusal(of: row.id, tag, to: other, as: "bob"),
                await client.refusal(of: row.id, nil, to: other, as: "bob"),
                await client.problem(PatchEntity<Content>(id: row.id, ifMatch: tag, [:]), as: "bob"),
                await client.problem(DeleteEntity<Content>(id: row.id, ifMatch: tag), as: "bob"),
            ].map { $0?.status }
            expect(refused.allSatisfy { $0 == refusal }, "bob's changes of ada's entity were answered with \(refused).")
            expect(try await client.api.send(get) == row, "bob changed ada's entity.")
        }

        let key = CallOptions(idempotencyKey: "contract-1")
        let own = try await client.api.send(CreateEntity(try Content.sample(4)), options: key)
        let others = try await client.api(as: "bob").send(CreateEntity(try Content.sample(5)), options: key)
        expect(others.id != own.id && others.author == author.map { _ in "bob" }, "bob's key replayed ada's create.")
        if !isSeen {
            let twin = await client.problem(CreateEntity(samples[0]), as: "bob")
            expect(twin == nil, "bob was told of ada's values: \(twin.map { "\($0)" } ?? "").")
        }

        let edited = try await client.change(row.id, tag, to: try Content.sample(6), as: "admin")
        expect(edited.author == author, "An administrator's update made \(edited.author ?? "none") the author.")
        let removal = DeleteEntity<Content>(id: row.id, ifMatch: edited.entityTag)
        expect(await client.problem(removal, as: "ada") == nil, "ada cannot delete her entity.")
        return failures
    }

    /// The same by synchronisation: changes, long polls, snapshots, digests, cursors and mutations.
    static func synchronisedOwnership(_ client: ContractClients) async throws -> [String] {
        var failures: [String] = []
        func expect(_ isKept: Bool, _ sentence: String) { if !isKept { failures.append(sentence) } }
        let adas = try await client.created([try Content.sample(), try .sample(2)]).map(\.id.rawValue)
        let bobs = try await client.created([try Content.sample(3)], as: "bob").map(\.id.rawValue)
        let (ada, bob) = (client.api, try client.api(as: "bob"))

        for (user, ids) in [
            ("ada", adas + (isSeen ? bobs : [])), ("bob", (isSeen ? adas : []) + bobs), ("admin", adas + bobs),
        ] {
            let page = try await client.api(as: user).send(PullChanges(collections: Content.collection))
            expect(page.changes.map(\.id) == ids, "\(user) pulled \(page.changes.map(\.id)), not \(ids).")
            let snapshot = try await client.snapshot(FetchSnapshot(collections: Content.collection), as: user)
            expect(snapshot.map(\.id) == ids.sorted(), "\(user)'s snapshot has \(snapshot.map(\.id)).")
            expect(Set(snapshot) == Set(page.changes), "\(user)'s snapshot has other rows than the changes.")
            let digest = try await client.api(as: user).send(FetchDigest(collections: Content.collection))
            expect(
                digest.collections == [Self.digest(of: snapshot)],
                "\(user)'s digest counts \(digest.collections.first?.count ?? 0) rows, not \(ids.count).")
            let bucket = RowHash(id: adas[0], version: 0).bucket
            let part = try await client.snapshot(
                FetchSnapshot(collections: Content.collection, bucket: bucket), as: user)
            expect(part.allSatisfy { ids.contains($0.id) }, "\(user)'s bucket has \(part.map(\.id)).")
            let author = page.changes.first?.data?["author"]
            let expected = Content.recordsAuthor ? JSONValue.string(ids.first == adas[0] ? "ada" : "bob") : nil
            expect(author == expected, "\(user) got the author \(author.map { "\($0)" } ?? "none").")
        }

        let known = try await bob.send(PullChanges(collections: Content.collection)).cursor
        let foreign = try await ada.send(PullChanges(collections: Content.collection)).cursor
        let taken = await client.problem(PullChanges(cursor: foreign, collections: Content.collection), as: "bob")
        expect(taken?.code == SyncCode.scopeChanged, "bob pulled with ada's cursor.")

        failures += try await refusedMutations(client, of: adas[0])
        let row = try await ada.send(GetEntity<Content>(id: Identifier(adas[0])))
        let edited = try await client.change(row.id, row.entityTag, to: try Content.sample(4))
        _ = try await ada.send(DeleteEntity<Content>(id: row.id, ifMatch: edited.entityTag))
        let later = try await bob.send(PullChanges(cursor: known, collections: Content.collection))
        expect(
            later.changes.map(\.id) == (isSeen ? [adas[0]] : []), "bob saw \(later.changes.map(\.id)) of ada's writes.")

        let own = try await ada.send(PullChanges(cursor: foreign, collections: Content.collection)).changes
        expect(own.map(\.id) == [adas[0]] && own.first?.operation == .delete, "ada did not get her own deletion.")

        // Ada's write wakes the long poll; only a row that bob sees ends it.
        let waiting = PullChanges(cursor: later.cursor, wait: 30, collections: Content.collection)
        async let poll = bob.send(waiting)
        let adasNew = try await client.created([try Content.sample(5)]).map(\.id.rawValue)
        let bobsNew = try await client.created([try Content.sample(6)], as: "bob").map(\.id.rawValue)
        let polled = try await poll.changes.map(\.id)
        expect(
            isSeen ? polled.first == adasNew[0] : polled == bobsNew, "bob's long poll ended with \(polled).")
        return failures
    }

    private static func digest(of rows: [SyncChange]) -> CollectionDigest {
        var buckets: [Int: RowDigest] = [:]
        for row in rows {
            let hash = RowHash(id: row.id, version: row.version)
            buckets[hash.bucket, default: RowDigest()].insert(hash)
        }
        return CollectionDigest(
            collection: Content.collection,
            buckets: buckets.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
    }

    /// Another user's mutations of an entity, by each operation.
    private static func refusedMutations(_ client: ContractClients, of id: String) async throws -> [String] {
        guard refusal != nil else { return [] }
        let before = try await client.api.send(GetEntity<Content>(id: Identifier(id)))
        let fields = try Content.sample(7).wireFields()
        let mutations = Mutation.Operation.allCases.enumerated().map { number, operation in
            Mutation(
                id: "mutation-\(operation)", clientSeq: number + 1, collection: Content.collection, entityId: id,
                operation: operation, baseVersion: operation == .create ? nil : before.version,
                fields: operation == .delete ? [:] : fields, at: before.updatedAt)
        }
        var failures: [String] = []
        // One batch each: after a refused mutation the later ones of a row are deferred.
        for mutation in mutations {
            let batch = MutationBatch(clientId: "contract", mutations: [mutation])
            let result = try await client.api(as: "bob").send(PushMutations(batch: batch)).results[0]
            let isWithoutEffect =
                result.status == .rejected || result.status == .conflict || mutation.operation == .delete && !isSeen
            if !isWithoutEffect || (result.current != nil && !isSeen) || (isSeen && result.error?.status != 403) {
                failures.append("bob's \(mutation.operation) of ada's entity had the result \(result).")
            }
        }
        if try await client.api.send(GetEntity<Content>(id: Identifier(id))) != before {
            failures.append("bob's mutations changed ada's entity.")
        }
        return failures
    }
}
