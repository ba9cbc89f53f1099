import Foundation
import StrataClient

// foreign CASE …: one case of `Scripts/foreign`; README.md has them. A failure is printed in both of its texts, with status 1.

let words = Array(CommandLine.arguments.dropFirst())
do {
    switch (words.first, words.count) {
    case ("service", 7):
        let secret = Secret(words[5])
        try await SignIn.service(
            words[1], token: words[2],
            as: words[3] == "body" ? .body(id: words[4], secret: secret) : .basic(id: words[4], secret: secret),
            calls: Int(words[6]) ?? 1)
    case ("login", 4):
        try await SignIn.browser(words[1], at: OAuthServer.discover(words[1]), id: words[2], folder: words[3])
    case ("login", 6):
        try await SignIn.browser(
            words[1], at: .endpoints(token: words[5], authorization: words[4]), id: words[2], folder: words[3])
    case ("device", 5): try await SignIn.device(words[1], device: words[2], token: words[3], id: words[4])
    case ("session", 8):
        try await SignIn.session(
            words[1], token: words[2], id: words[3], folder: words[4], rounds: Int(words[5]) ?? 1,
            calls: Int(words[6]) ?? 1, pause: Double(words[7]) ?? 0)
    case ("events", 5):
        try await Streams.events(words[1], path: words[2], since: words[3], count: Int(words[4]) ?? 1)
    case ("get", 3): try await Connections.get(words[1], authorities: words[2], proxy: .none)
    case ("certificate", 5):
        try await Connections.get(
            words[1], authorities: words[2], proxy: .none, identity: .pem(certificates: words[3], key: words[4]))
    case ("proxy", 4):
        try await Connections.get(
            words[1], authorities: words[2], proxy: .http(host: "127.0.0.1", port: Int(words[3]) ?? 0))
    case ("proxy", 6):
        try await Connections.get(
            words[1], authorities: words[2],
            proxy: .http(host: "127.0.0.1", port: Int(words[3]) ?? 0, user: words[4], password: Secret(words[5])))
    default:
        say("README.md has the cases.")
        exit(64)
    }
} catch {
    say("failed: \(error)")
    say("for a user: \(error.localizedDescription)")
    exit(1)
}
