package import AccountsDomain
package import StrataDomain

/// `POST /v1/host-tokens`: the answer holds the key, once.
package struct CreateHostToken: RoutedEndpoint {
    package static let route = Route.post("/v1/host-tokens")
    package static let successStatus = 201
    package typealias Response = NewHostToken
    package static let documentation = EndpointDocumentation(
        details: "Only this response has the key.", problems: [409: ["too_many_host_tokens"]])

    @Body package var draft: HostTokenDraft

    package init(draft: HostTokenDraft) { self.draft = draft }
}

package struct ListHostTokens: RoutedEndpoint {
    package static let route = Route.get("/v1/host-tokens")
    package typealias Response = ListPayload<HostToken>

    package init() {}
}

package struct DeleteHostToken: RoutedEndpoint {
    package static let route = Route.delete("/v1/host-tokens/{id}")
    package typealias Response = NoContent

    @Path package var id: HostToken.ID

    package init(id: HostToken.ID) { self.id = id }
}
