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
        let claim: LargeBodies.Claim
        do {
            let response = Response(try await respond(input), to: call.request)
            let bytes = response.body.contentLength ?? 0
            guard call.request.method == .get, bytes > LargeBodies.Smallest.response else { return response }
            claim = LargeBodies.Claim(
                bytes: bytes, caller: Self.callerKey(call, input.scope.principal), close: call.closeConnection)
            if let permit = largeResponses.take(claim) { return response.holding(permit) }
        }
        let permit = try await largeResponses.wait(for: claim, until: longestWait(input.scope.timeLeft))
        let response = Response(try await respond(input), to: call.request)
        permit.begin()
        return response.holding(permit)
    }

    /// - Parameter timeLeft: Of the request, when it arrived. Half of it at most is waited.
    func longestWait(_ timeLeft: Duration?) -> WaitLimit {
        WaitLimit(at: timers.now + min(.seconds(10), (timeLeft ?? .seconds(20)) / 2), on: timers)
    }
}
