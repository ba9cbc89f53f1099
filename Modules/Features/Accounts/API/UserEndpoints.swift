package import AccountsDomain
package import StrataDomain

/// `GET /v1/users`: by name, in numbered pages. For administrators, as are all endpoints of this file.
package struct ListUsers: RoutedEndpoint {
    package static let route = Route.get("/v1/users")
    package typealias Response = UserPage
    package static let documentation = EndpointDocumentation(
        details: "By name, in numbered pages.",
        schemas: ["page": .integer(1...1_000_000, default: 1), "limit": .integer(1...200, default: 50)])

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
    package typealias Response = User
    package static let documentation = EndpointDocumentation(problems: [409: ["username_taken"]])

    @Body package var draft: UserDraft

    package init(draft: UserDraft) { self.draft = draft }
}

package typealias GetUser = GetResource<User>
package typealias DeleteUser = DeleteResource<User>

package struct UpdateUser: RoutedEndpoint {
    package static let route = Route.put("/v1/users/{id}")
    package typealias Response = User
    package static let documentation = EndpointDocumentation(
        details: "Without a password the account keeps its own.", problems: [409: ["username_taken", "last_admin"]])

    @Path package var id: User.ID
    @Body package var draft: UserDraft

    package init(id: User.ID, draft: UserDraft) {
        self.id = id
        self.draft = draft
    }
}
