import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// A secret that is planted to be looked for. `Scripts/test` fails when the output of the suite holds one.
struct Canary: Sendable, Hashable {
    let place: String
    let text: String

    init(_ place: String) {
        self.place = place
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        text = "canary-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A text that holds a canary in another form, or one that is the same in each run, which must not look like a random one.
    init(_ place: String, text: String) {
        self.place = place
        self.text = text
    }

    var secret: Secret { Secret(text) }
}

/// One canary for each place of a call.
struct Canaries: Sendable {
    let bearer = Canary("bearer token")
    let refreshed = Canary("refreshed token")
    let token = Canary("token that is never renewed")
    let basicPassword = Canary("password of Basic")
    let keyInHeader = Canary("API key in a header")
    let keyInQuery = Canary("API key in the query")
    let signature = Canary("signature in a header of any name")
    let signedQuery = Canary("signature in the query")
    let password = Canary("password in a JSON body")
    let formPassword = Canary("password in a form")
    let cookie = Canary("cookie that is sent")
    let setCookie = Canary("cookie that is set")
    let ownHeader = Canary("header of the call")
    let answerToken = Canary("token in an answer")
    let location = Canary("token in a redirect")
    let userInfo = Canary("password in a URL")

    /// User and password as they are sent.
    var basicCredential: Canary {
        Canary("Basic credential", text: Data("ann:\(basicPassword.text)".utf8).base64EncodedString())
    }

    var all: [Canary] { sent + [setCookie, answerToken, location, userInfo] }

    /// What the client sends; a server may echo any of it.
    var sent: [Canary] {
        [
            bearer, refreshed, token, basicPassword, basicCredential, keyInHeader, keyInQuery, signature, signedQuery,
            password, formPassword, cookie, ownHeader,
        ]
    }
}

/// Everything that leaves the client as text, by the name of where it goes.
struct Sinks: Sendable {
    private(set) var texts: [(sink: String, text: String)] = []

    mutating func add(_ sink: String, _ text: String) { texts.append((sink, text)) }

    /// Every way in which a value becomes text: printed, debugged, dumped, mirrored.
    mutating func add(value: some Any, as sink: String) {
        add(sink, String(describing: value))
        add("\(sink), debugged", String(reflecting: value))
        var dumped = ""
        dump(value, to: &dumped)
        add("\(sink), dumped", dumped)
        add("\(sink), mirrored", Self.mirrored(value, depth: 8))
    }

    /// Which canary shows up where; neither says the secret itself.
    func leaks(of canaries: [Canary]) -> [String] {
        canaries.flatMap { canary in
            texts.filter { $0.text.contains(canary.text) }.map { "\(canary.place) in \($0.sink)" }
        }
    }

    private static func mirrored(_ value: Any, depth: Int) -> String {
        guard depth > 0 else { return "" }
        let mirror = Mirror(reflecting: value)
        return "\(value)"
            + mirror.children.map { "\($0.label ?? ""): \(mirrored($0.value, depth: depth - 1))" }.joined(
                separator: ", ")
    }
}
