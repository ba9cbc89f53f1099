import StrataClient

/// The grants of OAuth 2.0, each with a call to the API that the tokens are for.
enum SignIn {
    /// A service that acts for itself.
    static func service(_ address: String, token: String, as client: OAuthClient, calls: Int) async throws {
        let oauth = try OAuth(server: .endpoints(token: token), client: client)
        try await sayName(StrataClient(address, auth: .bearer(oauth.clientCredentials(scope: "read"))), calls: calls)
    }

    /// A user with a browser; the session is kept in `folder`.
    static func browser(_ address: String, at server: OAuthServer, id: String, folder: String) async throws {
        let oauth = try OAuth(server: server, client: .public(id: id))
        let store = try FileTokenStore(directory: folder)
        let tokens = try await oauth.authorizationCode(scope: "read", store: store) { url in say("open \(url)") }
        try await sayName(StrataClient(address, auth: .bearer(tokens)), calls: 1)
    }

    /// A user with a browser on another device.
    static func device(_ address: String, device: String, token: String, id: String) async throws {
        let oauth = try OAuth(server: .endpoints(token: token, device: device), client: .public(id: id))
        let tokens = try await oauth.device(scope: "read") { prompt in say("open \(prompt.page) \(prompt.code)") }
        try await sayName(StrataClient(address, auth: .bearer(tokens)), calls: 1)
    }

    /// The session of an earlier login: so many rounds, `pause` seconds apart, each of so many calls at once.
    static func session(
        _ address: String, token: String, id: String, folder: String, rounds: Int, calls: Int, pause: Double
    ) async throws {
        let oauth = try OAuth(server: .endpoints(token: token), client: .public(id: id))
        let tokens = oauth.session(in: try FileTokenStore(directory: folder))
        let api = try StrataClient(address, auth: .bearer(tokens))
        for round in 0..<rounds {
            if round > 0 { try await Task.sleep(for: .seconds(pause)) }
            try await sayName(api, calls: calls)
        }
    }

    /// Prints whom the API takes the caller for. The calls begin at once, and differ, so that none shares the response of another.
    private static func sayName(_ api: StrataClient, calls: Int) async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for call in 1...calls { group.addTask { try await api.get("/whoami", ["call": call]) } }
            for try await name in group { say(name) }
        }
    }
}
