/// An endpoint that states the form of its failures.
///
/// ```swift
/// struct GetRepo: ManualEndpoint, FailingEndpoint {
///     typealias Response = Repo
///     typealias Failure = GitHubError
///     …
/// }
///
/// do throws(NetworkError) { repo = try await client.send(GetRepo(owner: "ada", name: "engine")) } catch {
///     print(error.failure(of: GetRepo.self)?.message ?? error.localizedDescription)
/// }
/// ```
public protocol FailingEndpoint: Endpoint {
    /// The body of a response with a status other than 2xx.
    associatedtype Failure: Decodable & Sendable
}

extension NetworkError {
    /// The body of the failed response as the endpoint states it; `nil` without a response, and for a body of another form, as a
    /// proxy sends it. `response?.decode(_:)` says why a body cannot be read.
    public func failure<E: FailingEndpoint>(of endpoint: E.Type) -> E.Failure? {
        try? response?.decode(E.Failure.self)
    }

    /// What the failed response says of a rate limit; `nil` when it says nothing.
    public var rateLimit: RateLimitStatus? { response?.rateLimit }
}
