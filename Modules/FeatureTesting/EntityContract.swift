import FoundationEssentials
public import StrataDomain
import StrataNetworking
public import StrataService
import StrataTesting

/// What every entity promises, checked through client and backend with the samples of its fields. Entities that it refers to need no
/// service: each has a table of its own, with the rows that the samples name.
///
/// ```swift
/// @Test func `notes keep the contract of an entity`() async throws {
///     let failures = try await EntityContract<Note>(NotesService()).failures()
///     #expect(failures == [])
/// }
/// ```
public struct EntityContract<Content: Entity>: Sendable {
    typealias Check = @Sendable (ContractClients) async throws -> [String]
    private let service: any FeatureService
    private let replaces: Bool

    /// - Parameters:
    ///   - service: The backend part of the feature, made for this test.
    ///   - replaces: Whether an entity can be replaced as a whole, by PUT. Default: true.
    public init(_ service: any FeatureService, replaces: Bool = true) {
        (self.service, self.replaces) = (service, replaces)
    }

    /// One sentence for each promise that is not kept.
    public func failures() async throws -> [String] {
        var failures: [String] = Self.declarationFailures
        var checks: [Check] = [
            Self.roundTrips, Self.rules, Self.versions, Self.pages, Self.access, Self.uniqueness, Self.ownership,
            Self.lists, Self.aggregates,
        ]
        let isSynchronised = service.syncedCollections.contains { $0.name == Content.collection }
        if isSynchronised { checks.append(Self.synchronisedOwnership) }
        for field in Content.fields {
            guard let reference = field.reference else { continue }
            // A space that is not there is one that the caller is not in.
            if Content.ownership != .space || field.name != Ownership.spaceField {
                checks.append { try await Self.missing(field, $0, isSynchronised: isSynchronised) }
            }
            checks.append { try await Self.deletion(of: reference.target, field, reference.onDelete, $0) }
        }
        for check in checks { failures += try await self.failures(of: check) }
        return failures
    }

    private func failures(of check: @escaping Check) async throws -> [String] {
        let referred = try ReferredEntities(of: Content.self, besides: service)
        return try await withBackend([service] + referred.services) { backend in
            do {
                try await referred.seed(backend.store, at: backend.clock.now)
                return try await check(ContractClients(backend, replaces: replaces))
            } catch {
                return ["A check ended with: \(error)"]
            }
        }
    }

    // MARK: - Checks

    private static var declarationFailures: [String] {
        let names = Content.fields.map(\.name)
        return Content.fields.filter { $0.version > 1 && !$0.isOptional && $0.present(.null) == .null }.map {
            "'\($0.name)' came with version \($0.version) and must be optional: older rows have no value."
        } + (Set(names).count == names.count ? [] : ["Two fields have the same name: \(names)."])
            + listFailures + referenceFailures + aggregateFailures + historyFailures
            + (Content.ownership == .everyone || Content.recordsAuthor
                ? [] : ["Rows belong to their author, so 'recordsAuthor' must be true."])
    }

    /// A stored entity is read as it was written.
    private static func roundTrips(_ client: ContractClients) async throws -> [String] {
        var failures: [String] = []
        for content in [try Content.sample(), try .sample(2), try .sample(3, onlyRequired: true)] {
            let created = try await client.api.send(CreateEntity(content))
            if created.content != content { failures.append("Created as \(created.content), sent as \(content).") }
            if try await client.api.send(GetEntity(id: created.id)) != created {
                failures.append("Read as another one.")
            }
            let listed = try await client.api.send(ListEntities<Content>()).items
            if !listed.contains(created) { failures.append("'\(created.id)' is not in the list.") }
        }
        return failures
    }

    /// A value that breaks the rule of its field is refused with 422 and the field's name.
    private static func rules(_ client: ContractClients) async throws -> [String] {
        let sample = try Content.sample()
        let first = try await client.api.send(CreateEntity(sample))
        var failures: [String] = []
        for field in Content.fields {
            guard let flaw = field.flaw else { continue }
            let flawed = try sample.changing([field.name: flaw])
            let edit = await client.refusal(of: first.id, first.entityTag, to: flawed)
            for refusal in [await client.problem(CreateEntity(flawed)), edit]
            where refusal?.status != 422 || refusal?.errors?.map(\.field) != [field.name] {
                failures.append(
                    "'\(field.name)' with a wrong value was answered with \(refusal.map { "\($0)" } ?? "2xx").")
            }
        }
        return failures
    }

    /// An update and a deletion name the version that they start from.
    private static func versions(_ client: ContractClients) async throws -> [String] {
        let first = try await client.api.send(CreateEntity(try Content.sample()))
        let other = try Content.sample(2)
        var failures: [String] = []
        func note(_ status: Int, _ found: Problem?, _ call: String) {
            if found?.status != status {
                failures.append("\(call): \(found.map { "\($0.status)" } ?? "2xx") instead of \(status).")
            }
        }
        func expect<Call: Endpoint>(_ status: Int, _ call: Call) async {
            note(status, await client.problem(call), "\(Call.self)")
        }
        if Content.changesNeedVersion {
            note(428, await client.refusal(of: first.id, nil, to: other), "A replacement")
            await expect(428, DeleteEntity<Content>(id: first.id, ifMatch: nil))
            await expect(428, PatchEntity<Content>(id: first.id, ifMatch: nil, [:]))
        }
        await expect(422, PatchEntity<Content>(id: first.id, ifMatch: first.entityTag, [:]))
        await expect(422, PatchEntity<Content>(id: first.id, ifMatch: first.entityTag, ["no_field": .bool(true)]))
        let second = try await client.change(first.id, first.entityTag, to: other)
        if second.version <= first.version || second.content != other { failures.append("An update gave \(second).") }
        note(412, await client.refusal(of: first.id, first.entityTag, to: other), "A late replacement")
        await expect(412, PatchEntity<Content>(id: first.id, ifMatch: first.entityTag, [:]))
        let third = try await client.api.send(
            PatchEntity(id: first.id, ifMatch: second.entityTag, try Content.sample(3).wireFields()))
        if third.content != (try Content.sample(3)) { failures.append("A patch of every field gave \(third).") }
        await expect(412, DeleteEntity<Content>(id: first.id, ifMatch: first.entityTag))
        _ = try await client.api.send(DeleteEntity<Content>(id: first.id, ifMatch: third.entityTag))
        await expect(404, GetEntity<Content>(id: first.id))
        await expect(404, DeleteEntity<Content>(id: first.id, ifMatch: third.entityTag))
        return failures
    }

    /// Pages follow each other in the order of the list.
    private static func pages(_ client: ContractClients) async throws -> [String] {
        let first = try await client.api.send(CreateEntity(try Content.sample()))
        client.advance()
        let second = try await client.api.send(CreateEntity(try Content.sample(2)))
        let order = EntityQuery<Content>().entities(of: [first, second])
        let page = try await client.api.send(ListEntities<Content>(limit: 1))
        let last = try await client.api.send(ListEntities<Content>(cursor: page.nextCursor, limit: 1))
        var failures: [String] = []
        if page.items + last.items != order || page.items.count != 1 || last.nextCursor != nil {
            failures.append("Pages of one were \(page.items.map(\.id)) and \(last.items.map(\.id)).")
        }
        for limit in [0, Content.largestPage + 1]
        where await client.problem(ListEntities<Content>(limit: limit))?.status != 422 {
            failures.append("limit=\(limit) was accepted.")
        }
        return failures
    }

    /// Without a login the response is 401.
    private static func access(_ client: ContractClients) async throws -> [String] {
        let anonymous = ContractClients(
            client.backend, api: client.anonymous, client.anonymous, replaces: client.replaces)
        let id = Identifier<Content>("id-1")
        let statuses = [
            await anonymous.problem(ListEntities<Content>())?.status,
            await anonymous.problem(GetEntity<Content>(id: id))?.status,
            await anonymous.problem(CreateEntity(try Content.sample()))?.status,
            await anonymous.refusal(of: id, EntityTag(version: 1), to: try Content.sample())?.status,
            await anonymous.problem(PatchEntity<Content>(id: id, ifMatch: EntityTag(version: 1), [:]))?.status,
            await anonymous.problem(DeleteEntity<Content>(id: id, ifMatch: EntityTag(version: 1)))?.status,
        ]
        return statuses.allSatisfy { $0 == 401 } ? [] : ["Without a login: \(statuses)."]
    }

    /// A second entity with the value of a unique field is refused with 409 and the field's name.
    private static func uniqueness(_ client: ContractClients) async throws -> [String] {
        let sample = try Content.sample()
        _ = try await client.api.send(CreateEntity(sample))
        var failures: [String] = []
        for field in Content.fields where field.isUnique {
            let twin = try Content.sample(2).changing([field.name: field.value(sample)])
            let refusal = await client.problem(CreateEntity(twin))
            if refusal?.status != 409 || refusal?.errors?.map(\.field) != [field.name] {
                failures.append("'\(field.name)' is not unique.")
            }
        }
        return failures
    }
}
