import StrataDomain
import StrataNetworking
import StrataTesting

struct LogInWith: RoutedEndpoint {
    static let route = Route.post("/v1/sessions")
    typealias Response = TidePayload

    struct Credentials: Codable, Sendable {
        var username = "ann"
        var password: String
    }

    @Body var credentials: Credentials

    init(_ password: Canary) { credentials = Credentials(password: password.text) }
}

struct LogInByForm: RoutedEndpoint {
    static let route = Route.post("/v1/oauth/token")
    typealias Response = TidePayload

    struct Grant: FormBody {
        var grantType = "password"
        var password: String
    }

    @Body var grant: Grant

    init(_ password: Canary) { grant = Grant(password: password.text) }
}

extension Bench {
    /// The failure of a call; `nil` when it succeeds.
    func failureOrNil<E: Endpoint>(of endpoint: E, _ options: CallOptions) async -> NetworkError? {
        do { _ = try await client.send(endpoint, options: options) } catch { return error }
        return nil
    }

    /// The failure of a raw call, which has a status of any kind as its answer.
    func failureOrNil(ofRaw url: String, _ options: CallOptions) async -> NetworkError? {
        do {
            _ = try await client.collect(RawRequest(.get, url), upTo: 2000, options: options, events: events.sink)
        } catch {
            return error
        }
        return nil
    }

    /// The failure of a stream of events; none of more than 16 bytes is taken.
    func failureOrNil(ofEvents options: CallOptions) async -> NetworkError? {
        var options = options
        options.deadline = .seconds(30)
        do throws(NetworkError) {
            for try await _ in client.events(ShowTide(), upTo: 16, options: options) {}
        } catch { return error }
        return nil
    }

    /// The failure of a list whose pages follow `Link`.
    func failureOrNil(ofPages options: CallOptions) async -> NetworkError? {
        do throws(NetworkError) {
            for try await _ in client.pages(ShowTide(), next: .link, options: options) {}
        } catch { return error }
        return nil
    }
}

extension ScriptedTransport {
    /// What `answer` would say to `request`.
    static func response(of answer: Answer, to request: ClientRequest) async throws -> ClientResponse {
        let response = Shared<ClientResponse?>(nil)
        try await ScriptedTransport(answer).send(request) { value in response.change { $0 = value } }
        guard let value = response.value else { throw NetworkError(.unexpected("no answer")) }
        return value
    }
}
