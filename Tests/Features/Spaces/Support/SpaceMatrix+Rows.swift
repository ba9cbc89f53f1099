import FoundationEssentials
import SpacesAPI
import SpacesDomain
import StrataDomain
import StrataFeatureTesting
import StrataNetworking

/// The rows of the matrix: a new route gets one here.
extension SpaceMatrix {
    static var rows: [Row] { spaces + members + cards + synchronisation }

    private static let spaces: [Row] = [
        Row(.list(Space.collection)) { _ in ListEntities<Space>() },
        Row(.own) { _ in CreateEntity(Space(name: "another")) },
        Row(.row(.read, Space.collection)) { GetEntity<Space>(id: $0.space.id) },
        Row(.row(.update, Space.collection)) {
            UpdateEntity(id: $0.space.id, ifMatch: $0.space.entityTag, to: Space(name: "renamed"))
        },
        Row(.row(.update, Space.collection)) {
            PatchEntity<Space>(id: $0.space.id, ifMatch: $0.space.entityTag, ["name": .string("renamed")])
        },
        Row(.row(.delete, Space.collection)) { DeleteEntity<Space>(id: $0.space.id, ifMatch: $0.space.entityTag) },
    ]

    private static let members: [Row] = [
        Row(.row(.read, MemberRole.members)) { ListSpaceMembers(id: $0.space.id) },
        Row(.row(.update, MemberRole.members)) {
            ChangeSpaceMember(id: $0.space.id, member: $0.member, to: .editor)
        },
        Row(.row(.delete, MemberRole.members)) { RemoveSpaceMember(id: $0.space.id, member: $0.member) },
        Row(.membership) { LeaveSpace(id: $0.space.id) },
        Row(.row(.read, MemberRole.members)) { ListSentInvitations(id: $0.space.id) },
        Row(.row(.create, MemberRole.members)) {
            CreateSpaceInvitation(id: $0.space.id, InvitationDraft(username: "new\($0.number)", role: .viewer))
        },
        Row(.own) { _ in ListInvitations() },
        Row(.hidden) { AcceptInvitation(id: $0.invitation) },
        Row(.row(.delete, MemberRole.members)) { DeleteInvitation(id: $0.invitation) },
    ]

    private static let cards: [Row] = [
        Row(.list(Card.collection)) { _ in ListEntities<Card>() },
        Row(.list(Card.collection)) { _ in ListEntities<Card>(EntityQuery(search: Scene.secret)) },
        Row(.list(Card.collection)) {
            ListEntities<Card>(EntityQuery(filters: ["space_id": .string($0.space.id.rawValue)]))
        },
        Row(.nested(Card.collection)) { ListReferring<Card, Space>(id: $0.space.id) },
        Row(.list(Card.collection)) { _ in AggregateEntities(AggregateQuery<Card>("by-text")) },
        Row(AggregateEntities<Card>.route, .list(Card.collection)) { client, _ in
            let rows = try await client.send(AggregateEntities(AggregateQuery<Card>("total"))).items
            return rows.contains { $0.count > 0 } ? Scene.secret : ""
        },
        Row(.row(.read, Card.collection)) { ListChanges<Card>(id: $0.card.id) },
        Row(.write(.create, Card.collection)) { CreateEntity(Card("new", in: $0.space.id)) },
        Row(.row(.read, Card.collection)) { GetEntity<Card>(id: $0.card.id) },
        Row(.row(.update, Card.collection)) {
            UpdateEntity(id: $0.card.id, ifMatch: $0.card.entityTag, to: Card("other", in: $0.space.id))
        },
        Row(.row(.update, Card.collection)) {
            PatchEntity<Card>(id: $0.card.id, ifMatch: $0.card.entityTag, ["text": .string("other")])
        },
        Row(.row(.delete, Card.collection)) { DeleteEntity<Card>(id: $0.card.id, ifMatch: $0.card.entityTag) },
    ]

    private static let synchronisation: [Row] = [
        Row(.list(Card.collection)) { _ in PullChanges(collections: Card.collection) },
        Row(.list(Space.collection)) { _ in PullChanges(collections: Space.collection) },
        Row(FetchSnapshot.route, .list(Card.collection)) { client, _ in
            let request = RawRequest(.get, try FetchSnapshot(collections: Card.collection).request().target)
            return try await text(of: request, client)
        },
        Row(FetchDigest.route, .list(Card.collection)) { client, _ in
            let digest = try await client.send(FetchDigest(collections: Card.collection))
            return digest.collections.map(\.count) == [0] ? "" : Scene.secret
        },
        push(.create, .create) { ["space_id": .string($0.space.id.rawValue), "text": .string("new")] },
        push(.patch, .update) { _ in ["text": .string("other")] },
        push(.delete, .delete) { _ in [:] },
    ]

    /// - Throws: `Refused` for any status but those of a success.
    static func text(of request: RawRequest, _ client: HTTPAPIClient) async throws -> String {
        let response = try await client.collect(request, upTo: 1 << 20, options: CallOptions()) { _ in }
        guard (200..<300).contains(response.head.status) else { throw Refused(status: response.head.status) }
        return String(decoding: response.bytes, as: UTF8.self)
    }

    private static func push(
        _ operation: Mutation.Operation, _ action: RowAction,
        _ fields: @escaping @Sendable (Scene) -> [String: JSONValue]
    ) -> Row {
        Row(PushMutations.route, .write(action, Card.collection)) { client, scene in
            let isNew = operation == .create
            let mutation = Mutation(
                id: "m-\(scene.number)", clientSeq: 1, collection: Card.collection,
                entityId: isNew ? "new-\(scene.number)" : scene.card.id.rawValue, operation: operation,
                baseVersion: isNew ? nil : scene.card.version, fields: fields(scene), at: scene.now)
            let batch = MutationBatch(clientId: "matrix", mutations: [mutation])
            let result = try await client.send(PushMutations(batch: batch)).results[0]
            guard result.status == .applied else { throw Refused(status: result.error?.status ?? 409) }
            return "\(result)"
        }
    }
}
