package import SpacesDomain
package import StrataDomain

/// `GET /v1/spaces/{id}/invitations`: those that wait for an answer.
package struct ListSentInvitations: RoutedEndpoint {
    package static let route = Route.get("/v1/spaces/{id}/invitations")
    package typealias Response = ListPayload<SpaceInvitation>
    package static let documentation = EndpointDocumentation(
        "List invitations to space", details: "Those that wait for an answer.")

    @Path package var id: Space.ID

    package init(id: Space.ID) { self.id = id }
}

/// `POST /v1/spaces/{id}/invitations`: replaces an earlier one to the same user.
package struct CreateSpaceInvitation: RoutedEndpoint {
    package static let route = Route.post("/v1/spaces/{id}/invitations")
    package static let successStatus = 201
    package typealias Response = SpaceInvitation
    package static let documentation = EndpointDocumentation(
        "Invite to space",
        details:
            "To the user with a name, for 14 days. It replaces an earlier one to the same user; whether there is such a user is not told.",
        problems: [409: ["already_member", "too_many_members"]])

    @Path package var id: Space.ID
    @Body package var draft: InvitationDraft

    package init(id: Space.ID, _ draft: InvitationDraft) {
        self.id = id
        self.draft = draft
    }
}

/// `GET /v1/space-invitations`: those to the caller.
package typealias ListInvitations = ListResources<SpaceInvitation>

/// `POST /v1/space-invitations/{id}/accept`.
package struct AcceptInvitation: RoutedEndpoint {
    package static let route = Route.post("/v1/space-invitations/{id}/accept")
    package typealias Response = SpaceMember
    package static let documentation = EndpointDocumentation(
        "Accept invitation", problems: [409: ["too_many_spaces"]])

    @Path package var id: SpaceInvitation.ID

    package init(id: SpaceInvitation.ID) { self.id = id }
}

/// `DELETE /v1/space-invitations/{id}`: the invited user declines it, or a member withdraws it.
package typealias DeleteInvitation = DeleteResource<SpaceInvitation>
