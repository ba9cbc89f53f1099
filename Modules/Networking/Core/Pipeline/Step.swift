/// An interceptor that never holds a request up on its way: it may change it, look at the response, hear how the call
/// ended and have it sent again.
///
/// Steps that follow each other are one link of the chain, however many they are: each keeps notes instead of standing by
/// while the network is waited for, which is what makes a long chain slow.
protocol Step: Interceptor {
    /// What it keeps of one call of the chain.
    associatedtype Notes: Sendable

    /// The last look at a request before it goes on; may wait for its turn.
    ///
    /// - Throws: Why it does not go on. `end` is not called then.
    func begin(_ request: inout ClientRequest) async throws -> Notes

    /// The first look at a response.
    ///
    /// - Returns: Whether it goes on to whoever asked; one that does not is drained.
    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool

    /// Follows each `begin`, when the response has been taken in or kept, or the call has failed.
    ///
    /// - Parameter error: What the call has failed with.
    /// - Returns: What is to be sent now, its notes begun anew; `nil` when that was all.
    /// - Throws: What the call fails with: `error`, unless the step knows better.
    func end(_ notes: inout Notes, _ error: (any Error)?) async throws -> ClientRequest?

    /// What it is made of, outermost first. Default: itself.
    var steps: [any Interceptor] { get }
}

extension Step {
    var steps: [any Interceptor] { [self] }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool { true }

    func end(_ notes: inout Notes, _ error: (any Error)?) async throws -> ClientRequest? {
        if let error { throw error }
        return nil
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await run(request, receive: receive, next: next)
    }

    /// One call of the chain: as often as `end` wants it.
    func run(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        var request = request
        let call = StepCall(self, try await begin(&request), receive)
        while true {
            var failure: (any Error)?
            do { try await next(request) { try await call.receive($0) } } catch { failure = error }
            guard let again = try await end(&call.notes, failure) else { return }
            request = again
        }
    }

    /// This step around `inner`.
    func around<Inner: Step>(_ inner: Inner) -> Nested<Self, Inner> { Nested(outer: self, inner: inner) }
}

/// One call of the chain: a step, its notes, and where the response goes.
// Sendable proof: a call of the chain is one task, and its response is taken in while that task waits for `next`.
private final class StepCall<Caller: Step>: @unchecked Sendable {
    @exclusivity(unchecked) var notes: Caller.Notes
    private let step: Caller
    private let receiver: Receive

    init(_ step: Caller, _ notes: Caller.Notes, _ receiver: @escaping Receive) {
        (self.step, self.notes, self.receiver) = (step, notes, receiver)
    }

    func receive(_ response: ClientResponse) async throws {
        var response = response
        guard step.pass(&response, &notes) else { return await response.body.drain() }
        try await receiver(response)
    }
}

/// The notes of two steps, of types that need no look-up when they are thrown away.
struct NestedNotes<Outer: Sendable, Inner: Sendable>: Sendable {
    var outer: Outer
    var inner: Inner
}

/// Two steps as one.
final class Nested<Outer: Step, Inner: Step>: Step {
    let outer: Outer
    let inner: Inner

    init(outer: Outer, inner: Inner) { (self.outer, self.inner) = (outer, inner) }

    typealias Notes = NestedNotes<Outer.Notes, Inner.Notes>

    var steps: [any Interceptor] { outer.steps + inner.steps }

    func begin(_ request: inout ClientRequest) async throws -> Notes {
        var notes = try await outer.begin(&request)
        let within = try await enter(&request, &notes)
        return Notes(outer: notes, inner: within)
    }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        inner.pass(&response, &notes.inner) && outer.pass(&response, &notes.outer)
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) async throws -> ClientRequest? {
        var failure = error
        do {
            if let again = try await inner.end(&notes.inner, error) { return again }
            failure = nil
        } catch { failure = error }
        guard var again = try await outer.end(&notes.outer, failure) else { return nil }
        notes.inner = try await enter(&again, &notes.outer)
        return again
    }

    /// Begins the inner step; the outer one decides on its failure, as on any other.
    private func enter(_ request: inout ClientRequest, _ notes: inout Outer.Notes) async throws -> Inner.Notes {
        while true {
            do { return try await inner.begin(&request) } catch {
                guard let again = try await outer.end(&notes, error) else { throw error }
                request = again
            }
        }
    }
}
