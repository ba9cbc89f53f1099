import FoundationEssentials
import StrataDomain
import StrataTesting

/// The way from one process of a device to the REST server.
// Sendable proof: only the thread of the scheduler touches it.
final class RESTLink: @unchecked Sendable {
    let world: RESTWorld
    let device: Machine
    private let path: SimulatedPath
    /// The number of the server's last change at the last look at each row, by collection and id.
    private var looks: [String: Int] = [:]

    init(world: RESTWorld, device: Machine, life: Life) {
        self.world = world
        self.device = device
        path = SimulatedPath(run: world, device: device, life: life)
    }

    /// The response of the server.
    ///
    /// - Throws: When none arrives, and for a status of 400 and more.
    func send(_ request: RESTRequest) async throws(NetworkError) -> RESTResponse {
        var request = request
        (request.number, request.sentAt) = (world.nextRequest(), world.now)
        if request.isWrite, let id = request.id {
            request.base = RESTInvariants.base(of: id, in: request.collection, device)
            request.lookedAt = looks["\(request.collection)/\(id)"] ?? 0
        }
        let sent = request
        let answer = try await path.exchange(sent.text, .seconds(8)) { [world] reply in
            reply(Self.serve(sent, world))
        }
        guard let response = answer as? RESTResponse else { throw NetworkError(.unexpected("no response")) }
        world.note("\(device.name) gets \(response.text)")
        if sent.method == .get, let id = sent.id { looks["\(sent.collection)/\(id)"] = response.change }
        guard response.status >= 400 else { return response }
        throw Self.failure(response, sent)
    }

    private static func serve(_ request: RESTRequest, _ world: RESTWorld) -> Result<Any, NetworkError> {
        var response = world.server.serve(request)
        if world.bug == .refusalAsSuccess, response.status == 422 { response.status = 200 }
        if request.method == .list, world.rules.deltas == .fullList, world.now < world.listsAreCutUntil,
            world.number(0..<2) == 0, !response.rows.isEmpty
        {
            response.rows.removeLast(world.number(1..<response.rows.count + 1))
            response.next = nil
            world.note("the list is cut")
        }
        if let failure = world.failureAfterEffect, world.now < failure.until, request.isWrite, world.number(0..<2) == 0
        {
            world.note("answered with \(failure.status) after the effect")
            return .success(RESTResponse(status: failure.status))
        }
        return .success(response)
    }

    private static func failure(_ response: RESTResponse, _ request: RESTRequest) -> NetworkError {
        NetworkError(
            FailedResponse(ResponseHead(status: response.status), receivedAt: .noon),
            request: "\(request.method.rawValue) /\(request.collection)")
    }
}
