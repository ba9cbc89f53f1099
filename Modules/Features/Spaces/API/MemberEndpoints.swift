package import SpacesDomain
package import StrataDomain

/// `GET /v1/spaces/{id}/members`: by name.
package struct ListSpaceMembers: RoutedEndpoint {
    package static let route = Route.get("/v1/spaces/{id}/members")
    package typealias Response = ListPayload<SpaceMember>
    package static let documentation = EndpointDocumentation("List members of space", details: "By name.")

    @Path package var id: Space.ID

    package init(id: Space.ID) { self.id = id }
}

/// `PATCH /v1/spaces/{id}/members/{member}`: another role.
package struct ChangeSpaceMember: RoutedEndpoint {
    package static let route = Route.patch("/v1/spaces/{id}/members/{member}")
    package typealias Response = SpaceMember
    package static let documentation = EndpointDocumentation(
        "Change role of member", details: "`member` is the id of the user.", problems: [409: ["last_administrator"]])

    @Path package var id: Space.ID
    @Path package var member: SpaceMember.ID
    @Body package var change: MemberChange

    package init(id: Space.ID, member: SpaceMember.ID, to role: MemberRole) {
        self.id = id
        self.member = member
        change = MemberChange(role: role)
    }
}

/// `DELETE /v1/spaces/{id}/members/{member}`.
package struct RemoveSpaceMember: RoutedEndpoint {
    package static let route = Route.delete("/v1/spaces/{id}/members/{member}")
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        "Remove member of space", details: "`member` is the id of the user.", problems: [409: ["last_administrator"]])

    @Path package var id: Space.ID
    @Path package var member: SpaceMember.ID

    package init(id: Space.ID, member: SpaceMember.ID) {
        self.id = id
        self.member = member
    }
}

/// `DELETE /v1/spaces/{id}/membership`: ends the caller's own.
package struct LeaveSpace: RoutedEndpoint {
    package static let route = Route.delete("/v1/spaces/{id}/membership")
    package typealias Response = NoContent
    package static let documentation = EndpointDocumentation(
        "Leave space", details: "Ends the membership of the caller. A space always has an administrator.",
        problems: [409: ["last_administrator"]])

    @Path package var id: Space.ID

    package init(id: Space.ID) { self.id = id }
}
