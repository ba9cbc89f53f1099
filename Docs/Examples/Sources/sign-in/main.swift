import StrataClient

let address = CommandLine.arguments[1]

// The secret has characters that a form encodes.
let service = try OAuth(
    server: .endpoints(token: "\(address)/oauth/token"), client: .basic(id: "reports", secret: Secret("p+%s")))
let server = try await OAuthServer.discover(address)
let app = try OAuth(server: server, client: .public(id: "tides"))

do {
    // A service that acts for itself.
    let api = try StrataClient(address, auth: .bearer(service.clientCredentials(scope: "read")))
    let name: String = try await api.get("/whoami")
    print("service:", name)

    // A user with a browser on another device.
    let device = try await app.device(scope: "read") { prompt in print("Open \(prompt.page) and type \(prompt.code).") }
    let user: String = try await StrataClient(address, auth: .bearer(device)).get("/whoami")
    print("device:", user)

    // A user with a browser here: the "browser" of this example follows the redirect to the loopback address.
    let login = try await app.authorizationCode(scope: "read") { url in
        Task {
            let browser = try StrataClient(address)
            _ = try await browser.collect(
                RawRequest(.get, url), upTo: 1 << 16, options: CallOptions(), events: { _ in })
        }
    }
    let browsed: String = try await StrataClient(address, auth: .bearer(login)).get("/whoami")
    print("browser:", browsed)
} catch {
    print(error)
}
