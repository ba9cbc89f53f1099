/// A client that says whose responses it gets, so that a cache above it tells its users apart.
public protocol IdentifiedClient: APIClient {
    /// The server and the identity of a call that is sent now: equal only where responses may be shared. It holds no secret.
    ///
    /// - Throws: When the token cannot be read or renewed.
    func principal() async throws(NetworkError) -> String
}
