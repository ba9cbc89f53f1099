import StrataDomain

/// Sends requests about accounts; here network errors become errors of the domain.
struct AccountRequests: Sendable {
    let client: any APIClient

    /// - Parameter missing: The next step after a 404: `'shiftlog users list' shows those there are.`
    func send<Call: Endpoint>(_ call: Call, missing: String = "") async throws(DomainError) -> Call.Response {
        do throws(NetworkError) { return try await client.send(call) } catch {
            throw .accounts(error, missing: missing)
        }
    }
}
