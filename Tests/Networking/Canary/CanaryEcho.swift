import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

/// A server that repeats every secret of a request in every part of its answer, and adds some of its own.
struct CanaryEcho {
    private let canaries: Canaries
    private let echo: String
    /// Whether the request is that of a second page.
    private let isLinked: Bool

    init(_ canaries: Canaries, of request: ClientRequest) {
        self.canaries = canaries
        let text = Self.text(of: request)
        var found = canaries.sent.filter { text.contains($0.text) }
        if found.contains(canaries.basicCredential) { found.append(canaries.basicPassword) }
        echo = found.map(\.text).joined(separator: " ")
        isLinked = request.url.path == "/v1/linked"
    }

    /// All of a request that goes over the wire.
    static func text(of request: ClientRequest) -> String {
        "\(request.url) \(request.headers) \(String(decoding: request.body?.bytes ?? Data(), as: UTF8.self))"
    }

    func answer(_ answer: CanaryTests.Answer) -> ScriptedTransport.Answer {
        let token = "access_token=\(canaries.location.text)"
        return switch answer {
        case .success: .json(#"{"name":"bar",\#(member)}"#, headers: headers(MediaType.json))
        case .echoingSuccess: .json(#"{"name":"\#(echo)",\#(member)}"#)
        case .wrongType: .json(#"{"name":{"password":"\#(echo)"},\#(member)}"#)
        case .noJSON: .json(#"{"name": \#(echo)"#)
        case .noJSONType: .status(200, headers: ["Content-Type": "text/html"], body: "<p>\(echo)</p>")
        case .echoedType: .status(200, headers: ["Content-Type": "text/\(firstEcho)"], body: echo)
        case .events:
            .status(
                200, headers: ["Content-Type": "text/event-stream"], body: "id: \(echo)\ndata: \(echo)\n\n")
        case .tooLarge: .json(#"{"name":"\#(String(repeating: "\(echo) ", count: 100))"}"#)
        case .invalid: status(422)
        case .unauthorized: status(401)
        case .forbidden: status(403)
        case .missing: status(404)
        case .conflict: status(409)
        case .teapot: status(418)
        case .limited: status(429)
        case .broken: status(500)
        case .odd: .status(503, headers: ["Content-Type": "text/plain; x=\(echo)"], body: echo)
        case .redirect: redirect("/v1/other?\(token)")
        case .redirectElsewhere: redirect("https://elsewhere.test/v1/other?x=1")
        case .redirectWithPassword: redirect("https://ann:\(canaries.userInfo.text)@elsewhere.test/")
        case .redirectLoop: redirect("/v1/loop?\(token)")
        case .refused: .failure(.offline("connection refused"))
        case .lost: .failure(.connectionLost("reset"))
        case .silent: .silence
        case .tls: .failure(.tls("certificate expired"))
        case .cut:
            .chunks([Data(problem.utf8)], headers: headers(), then: NetworkError(.connectionLost("reset")))
        }
    }

    private var firstEcho: Substring { echo.prefix { $0 != " " } }

    private var member: String {
        #""access_token":"\#(canaries.answerToken.text)","refresh_token":{"a":["\#(echo)"]}"#
    }

    private var problem: String {
        #"{"type":"about:blank","title":"No: \#(echo)","detail":"got \#(echo)","code":"\#(echo)","#
            + #""request_id":"\#(echo)","errors":[{"field":"\#(echo)","message":"\#(echo)"}],"error":"\#(echo)","#
            + #""error_description":"\#(echo)",\#(member)}"#
    }

    private func headers(_ contentType: String = MediaType.problem) -> HeaderFields {
        [
            "Content-Type": contentType, "Set-Cookie": "session=\(canaries.setCookie.text)", "X-Echo": echo,
            "Retry-After": "0", "Link": "<\(next)>; rel=\"next\"",
        ]
    }

    /// The next page is here, and the one after it elsewhere.
    private var next: String {
        isLinked ? "https://elsewhere.test/?x=\(echo)" : "/v1/linked?access_token=\(canaries.location.text)"
    }

    private func status(_ status: Int) -> ScriptedTransport.Answer {
        .status(status, headers: headers(), body: problem)
    }

    private func redirect(_ target: String) -> ScriptedTransport.Answer {
        var fields = headers()
        fields["Location"] = target
        return .status(307, headers: fields, body: problem)
    }
}
