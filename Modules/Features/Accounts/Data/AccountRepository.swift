package import StrataDomain
import StrataSystem

/// A resource of accounts at the server; here network errors become errors of the domain.
package protocol AccountRepository: RemoteResourceRepository {
    var client: any APIClient { get }
}

extension AccountRepository {
    package func send<Call: Endpoint>(
        _ call: Call, about id: Item.ID? = nil
    ) async throws(DomainError) -> Call.Response {
        do throws(NetworkError) { return try await client.send(call) } catch {
            let list = "'\(ProgramName.current) \(Item.path) list' shows those there are."
            throw .accounts(error, missing: id == nil ? "" : list)
        }
    }
}
