import FoundationEssentials
import StrataDomain
import Testing

struct DomainErrorTests {
    private let problem = Problem(
        title: "Rejected", status: 422, detail: "The name is empty.",
        errors: [FieldError(field: "name", message: "is empty")])

    /// The name of the case.
    private func category(_ error: DomainError) -> String {
        Mirror(reflecting: error).children.first?.label ?? "cancelled"
    }

    @Test(arguments: [
        (NetworkError.Kind.invalidRequest("x"), "validation"), (.offline("x"), "unavailable"),
        (.connectionLost("x"), "unavailable"),
        (.timeout, "busy"), (.tls("x"), "unavailable"), (.unauthorized(nil), "unauthorized"),
        (.forbidden(nil), "forbidden"),
        (.notFound(nil), "notFound"), (.conflict(nil), "conflict"), (.validation(nil), "validation"),
        (.rateLimited(retryAfter: .seconds(3)), "busy"), (.status(408, nil), "busy"), (.status(425, nil), "busy"),
        (.status(413, nil), "validation"), (.server(500, nil), "unavailable"), (.server(503, nil), "unavailable"),
        (.circuitOpen(origin: "http://x", until: Date(timeIntervalSince1970: 0)), "unavailable"),
        (.invalidResponse("x"), "unexpected"), (.unexpected("x"), "unexpected"), (.cancelled, "cancelled"),
    ])
    func `every network error becomes its domain error`(kind: NetworkError.Kind, category expected: String) {
        #expect(category(DomainError(NetworkError(kind))) == expected)
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

    @Test func `any error becomes a domain error`() {
        struct Odd: Error {}
        #expect(category(DomainError(Odd() as any Error)) == "unexpected")
        #expect(DomainError(CancellationError() as any Error) == .cancelled)
        #expect(DomainError(DomainError.notFound("x") as any Error) == .notFound("x"))
        #expect(category(DomainError(NetworkError(.timeout) as any Error)) == "busy")
    }

    @Test(arguments: [
        (NetworkError.Kind.offline("x"), true), (.connectionLost("x"), true), (.timeout, true),
        (.server(503, nil), true),
        (.server(501, nil), false), (.status(408, nil), true), (.status(404, nil), false),
        (.rateLimited(retryAfter: nil), true),
        (.validation(nil), false), (.cancelled, false), (.tls("x"), false), (.unauthorized(nil), false),
    ])
    func `an error states whether the same call may succeed later`(kind: NetworkError.Kind, isRetryable: Bool) {
        #expect(NetworkError(kind).isRetryable == isRetryable)
    }

    @Test func `every text is a sentence that names its request`() {
        let error = NetworkError(
            .rateLimited(retryAfter: .seconds(7)), request: "GET /x",
            attempts: [1, 2].map { .init(number: $0, outcome: "429", decision: "", duration: .zero) })
        #expect(error.description == "GET /x: too many requests, retry in 7 s (after 2 attempts)")
        #expect(error.errorDescription == error.description)
    }
}
