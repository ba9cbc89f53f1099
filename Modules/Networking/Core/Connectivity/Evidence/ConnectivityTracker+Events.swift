public import StrataDomain

extension ConnectivityTracker {
    /// A sink for the events of one client, which takes in its attempts and then hands the event to `next`.
    ///
    /// - Parameter origin: The origin that client talks to.
    public func following(_ origin: Origin, then next: @escaping EventSink = { _ in }) -> EventSink {
        { event in
            if let evidence = Evidence(event.kind) { self.note(evidence, from: origin) }
            next(event)
        }
    }
}

extension ConnectivityTracker.Evidence {
    /// - Returns: `nil` for an event that proves nothing, such as a timeout, a lost connection or a refused certificate.
    init?(_ kind: NetworkEvent.Kind) {
        guard case .attemptFinished(let attempt) = kind else { return nil }
        switch attempt.outcome {
        case "no connection": self = .noConnection
        // Only an answer that was read to its end can be of these kinds.
        case "conflict", "validation", "decoding": self = .answer
        case let outcome where UInt16(outcome).map { (100...599).contains($0) } ?? false: self = .answer
        default: return nil
        }
    }
}
