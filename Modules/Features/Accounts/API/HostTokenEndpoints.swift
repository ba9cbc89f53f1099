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

package typealias ListHostTokens = ListResources<HostToken>
package typealias DeleteHostToken = DeleteResource<HostToken>
