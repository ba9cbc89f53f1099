import FoundationEssentials
import StrataDomain
import Testing

extension AccountsClient {
    /// The response to a form as a browser sends it.
    func form(_ path: String, _ fields: [String: String], _ headers: HeaderFields = [:]) async throws -> Reply {
        var items = QueryItems()
        for (name, value) in fields { items.add(name, value) }
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await reply("POST", path, headers: headers, body: Data(items.encoded.utf8))
    }

    /// A browser without cookies.
    var browser: Browser { Browser(client: self) }
}

/// A browser with the cookie of its session. It says where its forms come from.
struct Browser: Sendable {
    let client: AccountsClient
    /// `name=value`; `nil` for none.
    var cookie: String?
    /// The fields beside the cookie.
    var headers: HeaderFields = ["Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"]

    private var fields: HeaderFields {
        var fields = headers
        fields["Cookie"] = cookie
        return fields
    }

    func open(_ path: String) async throws -> AccountsClient.Reply {
        try await client.reply("GET", path, headers: fields)
    }

    func send(_ path: String, _ form: [String: String]) async throws -> AccountsClient.Reply {
        try await client.form(path, form, fields)
    }

    /// The same browser with the cookie that a response sets.
    func after(_ reply: AccountsClient.Reply) throws -> Browser {
        var browser = self
        let pair = try #require(reply.headers["Set-Cookie"]?.split(separator: ";").first)
        browser.cookie = pair.hasSuffix("=") ? nil : String(pair)
        return browser
    }

    /// The browser after the login of a user.
    func signedIn(_ username: String = "ada") async throws -> Browser {
        let password = AccountsBackend.password.reveal()
        let reply = try await send("/signin", ["username": username, "password": password])
        #expect(reply.status == 303)
        return try after(reply)
    }

    /// The name on `/signin`; `nil` for the form.
    func user() async throws -> String? {
        try await open("/signin").text.firstMatch(of: /as <strong>([^<]*)<\/strong>/).map { String($0.1) }
    }

    /// The token of the forms on a page.
    func formToken(on path: String = "/signin") async throws -> String {
        let token = try await open(path).text.firstMatch(of: /name="form_token" value="([^"]+)"/)
        return String(try #require(token).1)
    }
}
