public import StrataDomain

extension APIRoutes {
    /// Adds a page that is open to anyone, or the target of its forms. `PageRequest.caller` finds who is signed in.
    public mutating func page<E: RoutedEndpoint>(
        _ endpoint: E.Type, _ body: @escaping @Sendable (E, PageRequest) async throws -> HTMLPage
    ) where E.Response == HTMLPage {
        let encoder = ResponseEncoder(endpoint, .anyone)
        mount(endpoint, .anyone) { input in
            try encoder.encode(try await body(E(input.parts), PageRequest(input)), to: input.target)
        }
    }

    /// Adds a page for users who are signed in, or the target of its forms.
    ///
    /// `body` runs for the user of the browser only. A browser that is not signed in gets what `Authenticator.page(for:)` makes of it;
    /// with accounts it goes to `/signin` and comes back. A request with another method than GET is 403 unless a page of this service
    /// sent it with the token of the session in the field `form_token` (`PageCaller.formField`). An error of `body` with a status from
    /// 400 to 499 is a page with that status; a lost file stays a problem.
    ///
    /// - Parameters:
    ///   - access: Who may open the page; others get a page with the status 403.
    ///   - next: Where a login and the link of an error lead, as a path of this service (`LocalPath`) that a GET opens. Default: the path
    ///     of the request.
    public mutating func page<E: RoutedEndpoint>(
        _ endpoint: E.Type, for access: PageAccess, next: (@Sendable (E) -> String)? = nil,
        _ body: @escaping @Sendable (E, PageRequest, PageCaller) async throws -> HTMLPage
    ) where E.Response == HTMLPage {
        let takesForm = E.route.method != .get
        page(endpoint, readingForms: takesForm) { call, request, formToken in
            let path = LocalPath.accepted(next?(call), otherwise: request.path)
            // A browser sends no cookie with a form of another site: without this line the form would lead to the login.
            if takesForm, request.isForeign { return try request.page(for: .foreignForm) }
            guard let caller = try await request.caller() else {
                return try request.page(for: .signedOut(next: path))
            }
            guard access == .users || caller.user.isAdmin else { return try request.page(for: .notAdministrator) }
            guard !takesForm || caller.sent(formToken, request) else { return try request.page(for: .foreignForm) }
            var known = request
            known.scope.principal = caller.principal
            request.notes.principal = caller.principal.key
            do {
                return try await body(call, known, caller)
            } catch {
                let failure = ServiceError(mapping: error)
                // A lost file is logged where a problem is made of it.
                guard (400..<500).contains(failure.problem.status), !(error is BlobError) else { throw error }
                return try request.page(for: .failed(failure, back: takesForm ? path : nil))
            }
        }
    }

    private mutating func page<E: RoutedEndpoint>(
        _ endpoint: E.Type, readingForms: Bool,
        _ body: @escaping @Sendable (E, PageRequest, String?) async throws -> HTMLPage
    ) where E.Response == HTMLPage {
        let encoder = ResponseEncoder(endpoint, .anyone)
        mount(endpoint, .anyone) { input in
            let token = readingForms ? input.parts.body.flatMap(PageCaller.formToken) : nil
            return try encoder.encode(try await body(E(input.parts), PageRequest(input), token), to: input.target)
        }
    }
}
