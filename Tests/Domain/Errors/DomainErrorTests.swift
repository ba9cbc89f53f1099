import Foundation
import StrataDomain
import Testing

struct DomainErrorTests {
    private let problem = Problem(
        title: "Rejected", status: 422, detail: "The name is empty.",
        errors: [FieldError(field: "name", message: "is empty")])

    /// A body that cannot be read.
    static let unreadable: NetworkError.Kind = {
        do throws(WireJSON.Failure) {
            _ = try WireJSON.decode([String].self, from: Data("<html>".utf8))
            return .timeout
        } catch {
            return .decoding(error)
        }
    }()

    @Test(arguments: [
        (NetworkError.Kind.invalidRequest("x"), "validation"), (.offline("x"), "unavailable"),
        (.connectionLost("x"), "unavailable"),
        (.timeout, "busy"), (.tls("x"), "unavailable"), (.unauthorized(nil), "unauthorized"),
        (.forbidden(nil), "forbidden"),
        (.notFound(nil), "notFound"), (.conflict(nil), "conflict"), (.validation(nil), "validation"),
        (.rateLimited(retryAfter: .seconds(3)), "busy"), (.status(408, nil), "busy"), (.status(425, nil), "busy"),
        (.status(413, nil), "validation"), (.server(500, nil), "unavailable"), (.server(503, nil), "unavailable"),
        (.circuitOpen(origin: "http://x", until: Date(timeIntervalSince1970: 0)), "unavailable"),
        (.invalidResponse("x"), "validation"), (.server(504, nil), "unavailable"), (.unexpected("x"), "unexpected"),
        (.storage("x"), "storage"),
        (.cancelled, "cancelled"), (unreadable, "validation"),
    ])
    func `every network error becomes its domain error`(kind: NetworkError.Kind, category expected: String) {
        #expect(DomainError(NetworkError(kind)).kind.rawValue == expected)
    }

    @Test(arguments: [
        (
            NetworkError(.offline("connection refused"), request: "GET /v1/me"),
            "No connection: connection refused. Try."
        ),
        (NetworkError(.tls("it has expired."), request: "GET /v1/me"), "No secure connection: it has expired. Try."),
        (NetworkError(.storage("The token file is damaged."), request: "GET /x"), "The token file is damaged. Try."),
        (
            NetworkError(forbiddenBy: "--offline"),
            "--offline forbids to use the network. Leave out --offline to ask the server."
        ),
    ])
    func `a message is a sentence with the next step, without method and path`(error: NetworkError, text: String) {
        #expect(error.sentence("Try.") == text)
        #expect(!DomainError(error).description.contains("GET"))
    }

    @Test func `the fields of a rejection are kept`() {
        guard
            case .validation(let text, let fields) = DomainError(NetworkError(.validation(problem), request: "POST /x"))
        else {
            Issue.record("no validation error")
            return
        }
        #expect(text == "The name is empty.")
        #expect(fields == [FieldError(field: "name", message: "is empty")])
    }

    @Test func `a text for readers names the refused fields, and a reason does not`() {
        var problem = self.problem
        var error = NetworkError(.validation(problem), request: "POST /x", attempts: [.init(1), .init(2)])
        #expect(
            error.description == "POST /x: The name is empty. (after 2 attempts)",
            "The detail says the field's message.")
        problem.errors = ["a", "b", "c", "d"].map { FieldError(field: $0, message: "must be \($0)1") }
        error.kind = .validation(problem)
        #expect(
            error.description
                == "POST /x: The name is empty (a: must be a1; b: must be b1; c: must be c1; and 1 more) (after 2 attempts)"
        )
        #expect(error.localizedDescription.hasPrefix("The name is empty (a: must be a1; "))
        #expect(error.reason == "The name is empty. (after 2 attempts)")
        #expect(error.sentence("Try.") == "The name is empty. (after 2 attempts). Try.")
    }

    @Test func `a rate limit is told in the words of the server, with the wait where these have none`() {
        func text(_ detail: String) -> String {
            var error = NetworkError(.rateLimited(retryAfter: .seconds(7)))
            error.response = FailedResponse(
                ResponseHead(status: 429, headers: ["Content-Type": "application/json"]),
                bytes: Data(#"{"detail":"\#(detail)","code":"rate_limited"}"#.utf8))
            #expect(error.problem?.code == "rate_limited")
            return error.description
        }
        #expect(text("Slow down.") == "Slow down, retry in 7 s")
        #expect(
            text("The rate is used up; wait 7 s, then try again.") == "The rate is used up; wait 7 s, then try again.")
    }

    @Test func `a 503 that says when to come back is busy`() {
        var error = NetworkError(.server(503, nil))
        error.retryAfter = .seconds(7)
        #expect(DomainError(error) == .busy("Server error 503", retryAfter: .seconds(7)))
    }

    @Test func `an answer of something else is an outage, and one that cannot be read names the likely reason`() {
        var foreign = NetworkError(.invalidResponse("expected JSON, got 'text/html'"))
        foreign.isForeign = true
        #expect(DomainError(foreign).isOutage)
        do { _ = try WireJSON.decode([String].self, from: Data("<html>".utf8)) } catch {
            let text = DomainError(NetworkError(.decoding(error))).description
            #expect(text.contains("not valid JSON. A proxy or the login page"), "\(text)")
        }
    }

    @Test func `any error becomes a domain error`() {
        struct Odd: Error {}
        #expect(DomainError(Odd() as any Error).kind == .unexpected)
        #expect(DomainError(CancellationError() as any Error) == .cancelled)
        #expect(DomainError(DomainError.notFound("x") as any Error) == .notFound("x"))
        #expect(DomainError(NetworkError(.timeout) as any Error).kind == .busy)
    }

    @Test(arguments: [
        (NetworkError.Kind.offline("x"), true), (.connectionLost("x"), true), (.timeout, true),
        (.server(503, nil), true),
        (.server(501, nil), false), (.status(408, nil), true), (.status(404, nil), false),
        (.rateLimited(retryAfter: nil), true),
        (.validation(nil), false), (.cancelled, false), (.tls("x"), false), (.unauthorized(nil), false),
        (unreadable, false),
    ])
    func `an error states whether the same call may succeed later`(kind: NetworkError.Kind, isRetryable: Bool) {
        #expect(NetworkError(kind).isRetryable == isRetryable)
    }

    @Test(arguments: [
        (NetworkError.Kind.invalidRequest("no host"), "the request cannot be sent: no host"),
        (.offline("refused"), "no connection: refused"), (.connectionLost("reset"), "the connection was lost: reset"),
        (.timeout, "timed out"), (.tls("expired"), "no secure connection: expired"),
        (.unauthorized(nil), "not logged in"),
        (.forbidden(nil), "not allowed"), (.notFound(nil), "not found"), (.conflict(nil), "changed by another request"),
        (.validation(nil), "the input was rejected"), (.rateLimited(retryAfter: nil), "too many requests"),
        (.rateLimited(retryAfter: .seconds(7)), "too many requests, retry in 7 s"), (.status(418, nil), "status 418"),
        (.server(503, nil), "server error 503"),
        (.server(500, Problem(title: "Broken", status: 500, detail: "No disk.")), "No disk. (status 500)"),
        (.forbidden(Problem(title: "Forbidden", status: 403)), "Forbidden"),
        (
            .circuitOpen(origin: "http://x", until: Date(timeIntervalSince1970: 0)),
            "http://x failed too often and is left alone until 1970-01-01T00:00:00.000Z"
        ),
        (.invalidResponse("cut"), "the response is not usable: cut"), (.storage("disk full"), "disk full"),
        (.cancelled, "cancelled"), (.unexpected("odd"), "unexpected: odd"),
        (unreadable, "the response could not be read: Array<String>: the document is not valid JSON."),
    ])
    func `a text names its request, the reason and more than one attempt`(kind: NetworkError.Kind, reason: String) {
        #expect(NetworkError(kind).description == reason)
        var error = NetworkError(kind, request: "GET /x", attempts: [.init(1)])
        #expect(error.description == "GET /x: \(reason)")
        error.attempts.append(.init(2))
        #expect(error.description == "GET /x: \(reason) (after 2 attempts)")
        #expect(error.localizedDescription == error.sentence(""), "without method and path")
    }

    /// Statuses and bodies that a caller would act on.
    @Test(arguments: [
        NetworkError.Kind.validation(nil), .validation(Problem(title: "x", status: 422, code: "invalid_cursor")),
        .forbidden(nil), .notFound(nil), .conflict(nil), .status(413, nil), .status(405, nil), .invalidRequest("x"),
        .invalidResponse("x"),
    ])
    func `the answer to a token refresh is no answer to the call`(kind: NetworkError.Kind) {
        let error = NetworkError(kind).ofRefresh
        guard case .invalidResponse = error.kind else {
            Issue.record("\(error.kind)")
            return
        }
        #expect(error.isFromRefresh && error.problem == nil)
        #expect(error.description.hasPrefix("no token was obtained: "))
        #expect(!error.description.contains("the response is not usable"))
        #expect(DomainError(error).kind == .unavailable)
        #expect(error.ofRefresh.description == error.description)
    }

    @Test(arguments: [
        (NetworkError.Kind.offline("x"), "unavailable"), (.timeout, "busy"), (.unauthorized(nil), "unauthorized"),
        (.server(503, nil), "unavailable"), (.rateLimited(retryAfter: nil), "busy"), (.storage("x"), "storage"),
        (.cancelled, "cancelled"), (.status(408, nil), "busy"),
    ])
    func `a token refresh without an answer and the end of a session keep their kind`(
        kind: NetworkError.Kind, expected: String
    ) {
        let error = NetworkError(kind).ofRefresh
        let isPlain = expected == "unauthorized" || expected == "cancelled"
        let lead = isPlain ? "" : "no token was obtained: "
        #expect(error.isFromRefresh && error.description == lead + NetworkError(kind).description)
        #expect(error.ofRefresh.description == error.description)
        #expect(DomainError(error).kind.rawValue == expected)
        guard !isPlain else { return }
        let sentences = [error.localizedDescription, error.sentence("Next."), "\(DomainError(error))"]
        #expect(sentences.allSatisfy { $0.hasPrefix("No token was obtained: ") }, "\(sentences)")
    }

    @Test func `the next step for a program is in the description only`() {
        var error = NetworkError(.unauthorized(nil), request: "GET /x")
        error.advice = "begin a session"
        #expect(error.description == "GET /x: not logged in; begin a session")
        #expect(error.localizedDescription == "Not logged in." && error.sentence("") == "Not logged in.")
        #expect("\(DomainError(error))" == "Not logged in")
    }

    @Test func `kinds of network errors are equal with equal payloads, and errors have a sentence for users`() {
        #expect(NetworkError.Kind.timeout == .timeout && NetworkError.Kind.offline("a") != .offline("b"))
        #expect(DomainError.Kind.allCases.count == 10)
        let failure = NetworkError(.offline("connection refused"), request: "GET /v1/me") as any Error
        #expect(failure.localizedDescription == "No connection: connection refused.")
        #expect((DomainError.notFound("No such entry.") as any Error).localizedDescription == "No such entry.")
    }
}

extension NetworkError.Attempt {
    fileprivate init(_ number: Int) { self.init(number: number, outcome: "429", decision: "", duration: .zero) }
}
