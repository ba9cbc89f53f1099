/// How an API wants its callers to identify themselves.
package enum ClientAuth: String, Sendable, Hashable, CaseIterable, Codable {
    /// A key in the field `X-API-Key`.
    case key
    /// A token that is never renewed.
    case bearer
    /// A user and a password.
    case basic
    case none

    /// What stands for it in the sources of a client. In a copy of the example, these texts stand for those of `key`.
    struct Texts {
        /// The import of the module that `Secret` is in.
        var domain = "package import StrataDomain\n"
        /// The first line about the parameters.
        var line: String
        var parameters: String
        var style: String
        /// The arguments in the page of the client, and in its test.
        var arguments: String
        var sample: String
        /// What the test looks for in a request.
        var sent: String
        /// What the page of the client says.
        var page: String

        /// In one order for all.
        var all: [String] { [domain, line, parameters, style, arguments, sample, sent, page] }

        fileprivate static func line(_ start: String) -> String {
            "    ///   - \(start) to the origin of the address, and to no other.\n"
        }
    }

    var texts: Texts {
        switch self {
        case .key:
            Texts(
                line: Texts.line("key: Sent in `X-API-Key`"), parameters: "key: Secret, at",
                style: "auth: .apiKey(key, in: .header(\"X-API-Key\"))", arguments: "key: key, ",
                sample: "key: Secret(\"k-123\"), ", sent: "headers[\"X-API-Key\"] == \"k-123\"",
                page: "a key in `X-API-Key`")
        case .bearer:
            Texts(
                line: Texts.line("token: Sent"), parameters: "token: Secret, at", style: "auth: .token(token)",
                arguments: "token: token, ", sample: "token: Secret(\"t-123\"), ",
                sent: "headers[\"Authorization\"] == \"Bearer t-123\"", page: "a token in `Authorization`")
        case .basic:
            Texts(
                line: Texts.line("user: Sent with the password"), parameters: "user: String, password: Secret, at",
                style: "auth: .basic(user: user, password: password)", arguments: "user: user, password: password, ",
                sample: "user: \"ann\", password: Secret(\"p-123\"), ",
                sent: "headers[\"Authorization\"] == \"Basic YW5uOnAtMTIz\"",
                page: "a user and a password in `Authorization`")
        case .none:
            Texts(
                domain: "import StrataDomain\n", line: "", parameters: "at", style: "auth: .none", arguments: "",
                sample: "", sent: "headers[\"Authorization\"] == nil", page: "none")
        }
    }
}
