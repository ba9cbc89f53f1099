package import AccountsDomain
package import StrataDomain

/// `GET /v1/users`: by name, in numbered pages. For administrators, as are all endpoints of this file.
package struct ListUsers: RoutedEndpoint {
    package static let route = Route.get("/v1/users")
    package typealias Response = UserPagePayload

    /// From 1. Default 1.
    @Query package var page: Int?
    /// 1 to 200. Default 50.
    @Query package var limit: Int?

    package init(page: Int? = nil, limit: Int? = nil) {
        self.page = page
        self.limit = limit
    }
}

package struct CreateUser: RoutedEndpoint {
    package static let route = Route.post("/v1/users")
    package static let successStatus = 201
    package typealias Response = UserPayload

    @Body package var draft: UserDraftPayload

    package init(draft: UserDraftPayload) { self.draft = draft }
}

package struct GetUser: RoutedEndpoint {
    package static let route = Route.get("/v1/users/{id}")
    package typealias Response = UserPayload

    @Path package var id: User.ID

    package init(id: User.ID) { self.id = id }
}

package struct UpdateUser: RoutedEndpoint {
    package static let route = Route.put("/v1/users/{id}")
    package typealias Response = UserPayload

    @Path package var id: User.ID
    @Body package var draft: UserDraftPayload

    package init(id: User.ID, draft: UserDraftPayload) {
        self.id = id
        self.draft = draft
    }
}

package struct DeleteUser: RoutedEndpoint {
    package static let route = Route.delete("/v1/users/{id}")
    package typealias Response = NoContent

    @Path package var id: User.ID

    package init(id: User.ID) { self.id = id }
}

/// `POST /v1/host-tokens`: the answer holds the key, once.
package struct CreateHostToken: RoutedEndpoint {
    package static let route = Route.post("/v1/host-tokens")
    package static let successStatus = 201
    package typealias Response = HostTokenPayload

    @Body package var draft: HostTokenDraft

    package init(draft: HostTokenDraft) { self.draft = draft }
}

package struct ListHostTokens: RoutedEndpoint {
    package static let route = Route.get("/v1/host-tokens")
    package typealias Response = ListPayload<HostTokenPayload>

    package init() {}
}

package struct DeleteHostToken: RoutedEndpoint {
    package static let route = Route.delete("/v1/host-tokens/{id}")
    package typealias Response = NoContent

    @Path package var id: HostToken.ID

    package init(id: HostToken.ID) { self.id = id }
}
