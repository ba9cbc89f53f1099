import SpacesAPI
import SpacesDomain
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting

/// What tests of spaces do at the server.
struct SpaceScene: Sendable {
    let backend: InProcessBackend

    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (SpaceScene) async throws -> Value
    ) async throws -> Value {
        try await withBackend([SpacesService(), CardsService()]) { try await body(SpaceScene(backend: $0)) }
    }

    func user(_ name: String) throws -> HTTPAPIClient { try backend.client(as: name) }

    func space(_ name: String, of user: String) async throws -> Stored<Space> {
        try await self.user(user).send(CreateEntity(Space(name: name)))
    }

    func card(_ text: String, in space: Space.ID, by user: String) async throws -> Stored<Card> {
        try await self.user(user).send(CreateEntity(Card(text, in: space)))
    }

    /// Invites a user, who accepts.
    func join(_ space: Space.ID, _ name: String, as role: MemberRole, by administrator: String) async throws {
        let invitation = try await user(administrator).send(
            CreateSpaceInvitation(id: space, InvitationDraft(username: name, role: role)))
        _ = try await user(name).send(AcceptInvitation(id: invitation.id))
    }

    /// The result of one mutation of a user.
    func push(
        _ operation: Mutation.Operation, _ id: Card.ID, _ fields: [String: JSONValue] = [:], on version: Int? = nil,
        by name: String, _ key: String
    ) async throws -> MutationResult {
        let mutation = Mutation(
            id: key, clientSeq: 1, collection: Card.collection, entityId: id.rawValue, operation: operation,
            baseVersion: version, fields: fields, at: backend.clock.now)
        let batch = MutationBatch(clientId: "test", mutations: [mutation])
        return try await user(name).send(PushMutations(batch: batch)).results[0]
    }
}
