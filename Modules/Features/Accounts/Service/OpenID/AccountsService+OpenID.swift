import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// Sign-in at an OpenID provider: to the provider, back, and a page session.
extension AccountsService {
    func mountOpenID(on routes: inout APIRoutes) {
        guard let openID else { return }
        routes.page(StartOpenIDSignIn.self) { endpoint, request in
            try await start(openID, next: endpoint.next, request)
        }
        routes.page(FinishOpenIDSignIn.self) { endpoint, request in try await finish(openID, endpoint, request) }
        routes.page(StartOpenIDSignOut.self) { _, request in try await signOut(of: openID, request) }
    }

    /// The page after a sign-out of the service, for a user whom the provider signed in; `nil` for others.
    func signedOutPage(of caller: PageCaller?, in store: any StoreReader) throws -> HTMLPage? {
        guard let openID, let caller,
            try OpenIDLinkTable.isLinked(User.ID(caller.user.id), at: openID.options.issuer, in: store)
        else { return nil }
        return try page(Self.signedOut, ["title": "Signed out", "provider": openID.options.name])
    }

    private static let signedOut = PageTemplate(
        """
        <p role="status">You are signed out of {{service}}. At {{provider}} you may still be signed in.</p>
        <p><a class="button" href="/signout/openid">Sign out of {{provider}}, too</a></p>
        <p><a href="/signin">Sign in again</a></p>
        """)

    private func signOut(of provider: OpenIDProvider, _ request: PageRequest) async throws -> HTMLPage {
        let back = accessTokens.issuer + ShowSignInPage.route.template
        let url: String?
        do { url = try await provider.endSessionURL(redirect: back, at: request.scope.now) } catch {
            return try refusal(error, of: provider, request.scope)
        }
        if let url { return .redirect(to: url) }
        let text = "\(provider.options.name) has no page for this. Open its own pages, and sign out there."
        return try page(Self.notice, ["title": "Still signed in there", "text": text])
    }

    /// The link to the provider on a page that asks for a login.
    ///
    /// - Parameter next: The path to show after the sign-in.
    /// - Returns: `nil` without a provider.
    func openIDLink(next: String) -> OpenIDLink? {
        openID.map { provider in
            let query: QueryItems = ["next": next]
            return OpenIDLink(
                name: provider.options.name, url: "\(StartOpenIDSignIn.route.template)?\(query.encoded)")
        }
    }

    private var callback: String { accessTokens.issuer + FinishOpenIDSignIn.route.template }

    private func start(
        _ provider: OpenIDProvider, next: String?, _ request: PageRequest
    ) async throws -> HTMLPage {
        let next = LocalPath.accepted(next, otherwise: ShowSignInPage.route.template)
        let attempt = OpenIDAttempt()
        let url: String
        do {
            url = try await provider.authorizationURL(attempt, redirect: callback, at: request.scope.now)
        } catch { return try refusal(error, of: provider, request.scope) }
        let network = ClientNetwork.key(request.scope.clientAddress)
        try await store.write { transaction in
            guard let hash = OpaqueToken.digest(attempt.state) else { throw StoreError.failed("a state is too long") }
            try OpenIDAttemptTable.insert(hash, of: network, next: next, at: request.scope.now, in: transaction)
        }
        let cookie = attempt.cookie(seconds: Int(OpenIDAttemptTable.lifetime), at: accessTokens.issuer)
        return .redirect(to: url, cookies: [cookie])
    }

    private func finish(
        _ provider: OpenIDProvider, _ call: FinishOpenIDSignIn, _ request: PageRequest
    ) async throws -> HTMLPage {
        let now = request.scope.now
        // The cookie binds the state to this browser, and the row lets it be used once. Both come before anything else is read.
        guard let attempt = OpenIDAttempt(cookies: request.cookies, at: accessTokens.issuer),
            let state = call.state, attempt.owns(state: state), let hash = OpaqueToken.digest(state),
            let next = try await store.write({ try OpenIDAttemptTable.take(hash, at: now, in: $0) })
        else {
            events.failed(openID: "the state is not that of a sign-in of this browser", request.scope)
            let text =
                "This sign-in was started in another browser, was used before, or took longer than 10 minutes. Start it again."
            return try notSignedIn(text, status: 400)
        }
        let identity: OpenIDIdentity
        do throws(OpenIDError) {
            try await provider.checkIssuer(call.iss, at: now)
            guard call.error == nil, let code = call.code, (1...4096).contains(code.utf8.count) else {
                throw .refused("the provider sent no code")
            }
            identity = try await provider.identity(code: code, of: attempt, redirect: callback, at: now)
        } catch { return try refusal(error, of: provider, request.scope) }
        guard let user = try await account(of: identity, at: provider, request.scope) else {
            events.failed(openID: "no account is linked to '\(identity.subject)'", request.scope)
            let text =
                "\(provider.options.name) knows you, and no account here is linked to you. Ask an administrator for it, with your id there: \(identity.subject)"
            return try notSignedIn(text, status: 403)
        }
        let cookie = try await store.write { transaction in
            // The account may have been deleted in the meantime.
            let user = try UserTable.existing(user.id, in: transaction)
            return try beginPageSession(for: user, request, in: transaction)
        }
        events.succeeded()
        return .redirect(to: next, cookies: [cookie])
    }

    private func refusal(
        _ error: OpenIDError, of provider: OpenIDProvider, _ scope: RequestScope
    ) throws -> HTMLPage {
        events.failed(openID: error.description, scope)
        let name = provider.options.name
        switch error {
        case .unavailable:
            return try notSignedIn("\(name) cannot be used at the moment. Try again later.", status: 503)
        case .refused:
            return try notSignedIn("\(name) did not sign you in, or its answer is not valid. Start again.", status: 403)
        }
    }

    private func notSignedIn(_ text: String, status: Int) throws -> HTMLPage {
        try page(Self.notice, ["title": "You are not signed in", "text": text], status: status)
    }
}

/// A link to the OpenID provider on a page.
struct OpenIDLink: Sendable {
    let name: String
    let url: String

    /// The values of the template.
    var values: [String: String] { ["name": name, "url": url] }
}
