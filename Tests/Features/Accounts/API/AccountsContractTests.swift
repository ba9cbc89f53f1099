import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// What the client writes the backend reads, and back, for every endpoint of the feature.
@Suite struct AccountsContractTests {
    private static let now = ManualWallClock().now
    private static let user = User(
        id: User.ID("u1"), username: "ada", role: .admin, email: "ada@example.org", createdAt: now,
        updatedAt: now.addingTimeInterval(0.25))

    /// One endpoint with every part filled, and a response of it.
    private struct Example: Sendable, CustomTestStringConvertible {
        let route: Route
        let check: @Sendable () throws -> Void
        var testDescription: String { route.description }

        init<E: RoutedEndpoint>(_ endpoint: E, _ response: E.Response) where E.Response: Encodable {
            route = E.route
            check = {
                let sent = try endpoint.request()
                let read = try E(Self.parts(sent, E.route))
                #expect(try read.request() == sent)
                let written = try WireJSON.encode(response)
                let received = try WireJSON.decode(E.Response.self, from: written)
                #expect(try WireJSON.encode(received) == written)
            }
        }

        /// `sent` as a server takes it apart.
        private static func parts(_ sent: EndpointRequest, _ route: Route) throws -> EndpointParts {
            let names = route.template.split(separator: "/")
            let values = sent.path.split(separator: "/")
            #expect(names.count == values.count)
            var parameters: [String: String] = [:]
            for (name, value) in zip(names, values) where name.hasPrefix("{") {
                parameters[String(name.dropFirst().dropLast())] = PercentEncoding.decode(value)
            }
            return EndpointParts(
                pathParameters: parameters, query: try #require(QueryItems(parsing: sent.query.encoded)),
                headers: sent.headers, body: sent.body)
        }
    }

    private static let tokens = TokenPayload(accessToken: "a.b.c", expiresIn: 900, refreshToken: "slr_x")
    private static let codes = DeviceAuthorization(
        deviceCode: "sld_x", userCode: "WDJB-MJHT", verificationUri: "https://a.example/device",
        verificationUriComplete: "https://a.example/device?user_code=WDJB-MJHT", expiresIn: 600, interval: 5)
    private static let session = Session(
        id: Session.ID("s1"), device: "ada's laptop é", createdAt: now, lastUsedAt: now, isCurrent: true)
    private static let hostToken = HostToken(id: HostToken.ID("h1"), name: "web-1", createdAt: now, lastUsedAt: now)
    private static let draft = UserDraft(
        username: "ada", role: .member, password: Secret("p&ss=w+rd %é🗝"), email: "ada@example.org")

    private static let examples: [Example] = [
        Example(
            CreateSession(credentials: Credentials(username: "ada", password: "p&=+ %é🗝\"\\", device: "laptop")), tokens
        ),
        Example(ListSessions(), ListPayload(items: [session])),
        Example(EndSession(target: "all"), NoContent()),
        Example(EndSession(target: "a/b c?d#e%2F"), NoContent()),
        Example(RefreshSession(grant: TokenGrant(refreshToken: "slr_+&=% é")), tokens),
        Example(RefreshSession(grant: TokenGrant(deviceCode: "sld_+&=% é")), tokens),
        Example(AuthorizeDevice(request: DeviceRequest(deviceName: "ada's laptop é")), codes),
        Example(ShowDevicePage(userCode: "WDJB-MJHT"), HTMLPage(html: "<p>é", styleNonce: "n")),
        Example(
            SendDevicePage(form: DeviceForm(ticket: "sldt_+", decision: "allow")),
            HTMLPage(status: 403, html: "", styleNonce: "n")),
        Example(ShowSignInPage(next: "/admin?view=jobs&x=é"), HTMLPage(html: "<p>é", styleNonce: "n")),
        Example(
            SendSignInPage(form: SignInForm(username: "ada", password: "p&=+ %é🗝", next: "/")),
            HTMLPage.redirect(to: "/", cookies: ["a=b; Path=/"])),
        Example(
            ShowAdminPage(
                view: "table", user: "u/1", state: "ready", table: "a&b", page: "2", cursor: "é", done: "retry_job"),
            HTMLPage(html: "<p>é", styleNonce: "n")),
        Example(
            SendAdminPage(form: AdminForm(action: .retryJob, id: "j/1", formToken: "x", next: "/admin?view=jobs")),
            HTMLPage.redirect(to: "/admin?view=jobs")),
        Example(SendSignOut(form: SignOutForm(formToken: "x")), HTMLPage.redirect(to: "/signin")),
        Example(RevokeToken(revocation: Revocation(token: "slr_+&=% é")), NoContent()),
        Example(GetMe(), user),
        Example(
            ChangePassword(change: PasswordChange(currentPassword: "p&=+ %é🗝\"\\", newPassword: "n&=+ %é🗝\"\\")),
            NoContent()),
        Example(RequestPasswordReset(request: PasswordResetRequest(username: "ada")), NoContent()),
        Example(ShowPasswordResetPage(token: "slp_+&=% é"), HTMLPage(html: "<p>é", styleNonce: "n")),
        Example(
            SendPasswordResetPage(form: PasswordResetForm(token: "slp_+", password: "p&=+ é", repeated: "p&=+ é")),
            HTMLPage(html: "", styleNonce: "n")),
        Example(
            ListUsers(page: 3, limit: 7), UserPage(users: [user], total: 22, page: 3, limit: 7)),
        Example(ListUsers(), UserPage(users: [], total: 0, page: 1, limit: 50)),
        Example(CreateUser(draft: draft), user),
        Example(GetUser(id: User.ID("u/1")), user),
        Example(UpdateUser(id: User.ID("u1"), draft: draft), user),
        Example(DeleteUser(id: User.ID("u1")), NoContent()),
        Example(
            CreateHostToken(draft: HostTokenDraft(name: "web-1")),
            NewHostToken(hostToken, key: Secret("slh_x"))),
        Example(ListHostTokens(), ListPayload(items: [hostToken])),
        Example(DeleteHostToken(id: HostToken.ID("h1")), NoContent()),
        Example(GetKeySet(), KeySetPayload(keys: [KeyPayload(id: "k1", x: "x", y: "y")])),
        Example(GetServerMetadata(), ServerMetadataPayload(issuer: AccountsBackend.issuer)),
    ]

    @Test(arguments: examples)
    private func `requests and responses come back unchanged from the wire`(example: Example) throws {
        try example.check()
    }

    @Test func `every mounted endpoint has an example`() async throws {
        try await withAccounts { backend, _ in
            var routes = APIRoutes()
            backend.accounts.mount(on: &routes)
            #expect(Set(routes.mounted.map(\.route)) == Set(Self.examples.map(\.route)))
        }
    }

    @Test func `refresh and revocation travel as forms and are read as JSON too`() throws {
        let form = try #require(try RefreshSession(grant: TokenGrant(refreshToken: "slr_+x")).request().body)
        #expect(form.contentType == MediaType.form)
        #expect(String(decoding: form.bytes, as: UTF8.self) == "grant_type=refresh_token&refresh_token=slr_%2Bx")
        let json = RequestBody(
            contentType: "application/json; charset=utf-8",
            bytes: Data(#"{"grant_type":"refresh_token","refresh_token":"slr_+x","scope":"x"}"#.utf8))
        #expect(try RefreshSession(EndpointParts(body: json)).grant.refreshToken == "slr_+x")
    }

    @Test func `the names on the wire are those of the RFCs`() throws {
        let metadata = try JSONValue(encoding: ServerMetadataPayload(issuer: "https://a.example"))
        let names = try #require(metadata.object)
        #expect(names["jwks_uri"] == .string("https://a.example/.well-known/jwks.json"))
        #expect(names["token_endpoint"] == .string("https://a.example/v1/oauth/token"))
        #expect(names["revocation_endpoint"] == .string("https://a.example/v1/oauth/revoke"))
        #expect(
            names["grant_types_supported"]
                == .array([.string("refresh_token"), .string("urn:ietf:params:oauth:grant-type:device_code")]))
        #expect(names["token_endpoint_auth_methods_supported"] == .array([.string("none")]))
        #expect(names["response_types_supported"] == .array([]))
        let tokens = try #require(try JSONValue(encoding: Self.tokens).object)
        #expect(tokens.keys.sorted() == ["access_token", "expires_in", "refresh_token", "token_type"])
        let codes = try #require(try JSONValue(encoding: Self.codes).object)
        #expect(
            codes.keys.sorted() == [
                "device_code", "expires_in", "interval", "user_code", "verification_uri", "verification_uri_complete",
            ])
        #expect(names["device_authorization_endpoint"] == .string("https://a.example/v1/oauth/device_authorization"))
        #expect(tokens["token_type"] == .string("Bearer"))
    }
}
