import StrataDomain

/// An endpoint that a client authenticates itself at: `POST` of a form, answered with a JSON object.
///
/// The client sends without credentials of its own.
struct OAuthEndpoint: Sendable {
    /// For error texts: `token endpoint`.
    let name: String
    let client: any APIClient
    /// Below the client's base URL.
    let path: String
    var query = QueryItems()
    let identity: OAuthClient
    /// Time for one request, in place of the client's limits for a call and an attempt.
    let limit: Duration

    struct Answer: Sendable {
        let head: ResponseHead
        let members: [String: JSONValue]
    }

    /// - Parameters:
    ///   - fields: Without those that name the client.
    ///   - secrets: What no error may show, besides the secret of the client.
    ///   - limit: A shorter limit than the endpoint's.
    func send(
        _ fields: [FormText.Field], secrets: [Secret], within limit: Duration? = nil
    ) async throws(NetworkError) -> Answer {
        let request = FormRequest(
            path: path, query: query, authorization: identity.authorization, fields: fields + identity.fields)
        let limit = min(self.limit, limit ?? self.limit)
        do throws(NetworkError) {
            let response = try await client.response(
                to: request, options: CallOptions(deadline: limit, attemptTimeout: limit))
            return Answer(head: response.head, members: response.value.object ?? [:])
        } catch {
            throw failure(error, secrets: secrets)
        }
    }

    /// `error` with its meaning at this endpoint, and without `secrets`.
    func failure(_ error: NetworkError, secrets: [Secret]) -> NetworkError {
        error.hiding(secrets + identity.secrets).refusal(by: name)
    }

    private struct FormRequest: ManualEndpoint {
        typealias Response = JSONValue

        let path: String
        let query: QueryItems
        let authorization: String?
        let fields: [FormText.Field]

        var method: HTTPMethod { .post }

        var headers: HeaderFields {
            var headers: HeaderFields = ["Accept": MediaType.json]
            headers["Authorization"] = authorization
            return headers
        }

        func body() -> RequestBody? { FormText.body(fields) }
    }
}
