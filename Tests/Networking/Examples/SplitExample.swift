import StrataDomain

/// A berth of the harbour, as the program sees it.
struct Berth: Sendable, Equatable {
    var name: String
    /// Metres.
    var draught: Double
    var isFree: Bool
}

/// A berth as the server writes it. Nothing but this file knows the form.
struct BerthPayload: Codable, Sendable {
    var name: String
    var draughtCm: Int
    var state: String

    /// - Throws: `.validation` for a state that this version does not know.
    func berth() throws(DomainError) -> Berth {
        guard ["FREE", "TAKEN"].contains(state) else {
            throw .validation("The berth '\(name)' has the unknown state '\(state)'; update this program.")
        }
        return Berth(name: name, draught: Double(draughtCm) / 100, isFree: state == "FREE")
    }
}

struct ListBerths: RoutedEndpoint {
    static let route = Route.get("/v1/berths")
    typealias Response = [BerthPayload]

    @Query var page: Int?
    @Query var limit: Int?

    init(page: Int? = nil, limit: Int? = nil) { (self.page, self.limit) = (page, limit) }
}

/// The berths at the server. Payloads become berths here, and network errors domain errors.
struct BerthClient: Sendable {
    let client: any APIClient

    func list(page: Int, limit: Int) async throws(DomainError) -> [Berth] {
        let payloads: [BerthPayload]
        do throws(NetworkError) { payloads = try await client.send(ListBerths(page: page, limit: limit)) } catch {
            throw DomainError(error)
        }
        var berths: [Berth] = []
        for payload in payloads { berths.append(try payload.berth()) }
        return berths
    }
}
