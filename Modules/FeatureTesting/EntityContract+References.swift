import FoundationEssentials
import StrataDomain

/// What a field that names another entity promises, by REST and by synchronisation.
extension EntityContract {
    /// One sentence for each reference that cannot be kept.
    static var referenceFailures: [String] {
        Content.fields.compactMap { field in
            guard let reference = field.reference else { return nil }
            if reference.target == Content.self { return "'\(field.name)' refers to its own kind." }
            if field.kind != .text { return "'\(field.name)' refers to another entity and is no id." }
            return reference.onDelete == .clear && !field.isOptional
                ? "'\(field.name)' is cleared when what it names is deleted, and must be optional." : nil
        }
    }

    /// A write that names no row is refused with 422 and the field's name.
    static func missing(
        _ field: EntityField<Content>, _ client: ContractClients, isSynchronised: Bool
    ) async throws -> [String] {
        let row = try await client.api.send(CreateEntity(try Content.sample()))
        let dangling = try Content.sample(2).changing([field.name: .string("no-such-id")])
        var refusals = [
            await client.problem(CreateEntity(dangling)),
            await client.refusal(of: row.id, row.entityTag, to: dangling),
            await client.problem(
                PatchEntity<Content>(id: row.id, ifMatch: row.entityTag, [field.name: .string("no-such-id")])),
        ]
        if isSynchronised {
            for operation in [Mutation.Operation.create, .patch] {
                let isNew = operation == .create
                let mutation = Mutation(
                    id: "\(field.name)-\(operation)", clientSeq: isNew ? 1 : 2, collection: Content.collection,
                    entityId: isNew ? "id-of-\(field.name)" : row.id.rawValue, operation: operation,
                    baseVersion: isNew ? nil : row.version,
                    fields: isNew ? try dangling.wireFields() : [field.name: .string("no-such-id")], at: row.updatedAt)
                let batch = MutationBatch(clientId: "contract", mutations: [mutation])
                refusals.append(try await client.api.send(PushMutations(batch: batch)).results[0].error)
            }
        }
        return refusals.compactMap { refusal in
            refusal?.status == 422 && refusal?.errors?.map(\.field) == [field.name]
                ? nil : "'\(field.name)' with an id of no row was answered with \(refusal.map { "\($0)" } ?? "2xx")."
        }
    }

    /// A row, the list of those that name it, and its deletion.
    static func deletion<Target: Entity>(
        of target: Target.Type, _ field: EntityField<Content>, _ rule: DeleteRule, _ client: ContractClients
    ) async throws -> [String] {
        var failures: [String] = []
        func expect(_ isKept: Bool, _ sentence: String) { if !isKept { failures.append(sentence) } }
        // An administrator sees and may delete every row.
        let admin = try client.api(as: "admin")
        let content = try Content.sample(3)
        guard let id = field.value(content).string else { return [] }
        // Only the field itself names the row.
        let others = Content.fields.filter { $0.name != field.name && $0.isOptional && $0.reference != nil }
        let row = try await admin.send(
            CreateEntity(try content.changing(Dictionary(uniqueKeysWithValues: others.map { ($0.name, .null) }))))
        let named = GetEntity<Target>(id: Identifier(id))
        let parent = try await admin.send(named)

        if ListReferring<Content, Target>.field?.name == field.name {
            let nested = try await admin.send(ListReferring<Content, Target>(id: parent.id)).items
            let filtered = try await admin.send(
                ListEntities<Content>(EntityQuery(filters: [field.name: .string(id)]))
            ).items
            expect(nested == filtered && nested.contains(row), "The list of \(Target.noun) has \(nested.map(\.id)).")
            let unknown = await client.problem(
                ListReferring<Content, Target>(id: Identifier("no-such-id")), as: "admin")
            expect(unknown?.status == 404, "The list of a missing \(Target.noun) was there.")
        }

        let removal = DeleteEntity<Target>(id: parent.id, ifMatch: parent.entityTag)
        let refusal = await client.problem(removal, as: "admin")
        // Another entity, or another field, may restrict the deletion.
        let isRestricted =
            rule == .restrict
            || Content.fields.contains {
                $0.name != field.name && $0.reference?.target == Target.self && $0.reference?.onDelete == .restrict
                    && $0.value(row.content).string == id
            }
        expect(refusal?.status == (isRestricted ? 409 : nil), "A deletion by '\(rule)' ended with \(refusal as Any).")
        guard refusal == nil else {
            expect(try await admin.send(named) == parent, "A refused deletion changed the \(Target.noun).")
            return failures
        }
        let get = GetEntity<Content>(id: row.id)
        switch rule {
        case .restrict: break
        case .cascade: expect(await client.problem(get, as: "admin")?.status == 404, "A row outlived what it names.")
        case .clear:
            let cleared = try await admin.send(get)
            expect(
                field.value(cleared.content) == .null && cleared.version > row.version,
                "'\(field.name)' was not cleared: \(cleared).")
        }
        return failures
    }
}
