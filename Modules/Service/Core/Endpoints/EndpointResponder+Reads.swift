import Hummingbird
import StrataConcurrency
import StrataDomain

extension EndpointResponder {
    /// Responds to a read. A large response without a permit is dropped, and encoded again when there is one.
    ///
    /// - Throws: 503 without a permit after 10 seconds, or half of the time to the deadline; what `respond` throws.
    func read(
        _ call: ServiceCall, _ input: EndpointInput,
        _ respond: @Sendable (EndpointInput) async throws -> EncodedResponse
    ) async throws -> Response {
        let claim: LargeResponses.Claim
        do {
            let response = Response(try await respond(input), to: call.request)
            let bytes = response.body.contentLength ?? 0
            guard call.request.method == .get, bytes > LargeResponses.smallest else { return response }
            claim = LargeResponses.Claim(
                bytes: bytes, caller: Self.transferKey(call, input.scope), close: call.closeConnection)
            if let permit = largeResponses.take(claim) { return response.holding(permit) }
        }
        let longestWait = min(.seconds(10), (input.scope.timeLeft ?? .seconds(20)) / 2)
        let permit = try await largeResponses.wait(
            for: claim, until: WaitLimit(at: timers.now + longestWait, on: timers))
        let response = Response(try await respond(input), to: call.request)
        permit.begin()
        return response.holding(permit)
    }
}
