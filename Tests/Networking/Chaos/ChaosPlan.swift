import StrataTesting

/// What the chaotic server does with one request. Everything but `reset` and `busy` commits.
enum Fate: CaseIterable {
    /// Commits and answers.
    case answer
    /// Commits, then ends the connection without a byte.
    case drop
    /// Commits, then ends the connection in the middle of the answer.
    case cut
    /// Commits, then answers late.
    case answerLate
    /// Commits late, also when the client has gone meanwhile.
    case commitLate
    /// Commits, and never answers.
    case silence
    /// Resets the connection before anything is committed.
    case reset
    /// Refuses with 429 or 503 before anything is committed.
    case busy
}

/// Which request meets which fate: the same for the same seed, whatever order the requests arrive in.
struct ChaosPlan: Sendable {
    let seed: UInt64

    /// - Parameter visit: How often this call has reached the server, from 1.
    func fate(ofCall call: Int, visit: Int) -> Fate {
        switch roll(call, visit, 0) % 1000 {
        case ..<90: .drop
        case ..<130: .cut
        case ..<230: .answerLate
        case ..<270: .commitLate
        case ..<274: .silence
        case ..<330: .reset
        case ..<390: .busy
        default: .answer
        }
    }

    /// Whether this request finds nobody listening, so that provably nothing is sent.
    func findsNobody(call: Int, visit: Int) -> Bool { roll(call, visit, 1) % 100 < 4 }

    private func roll(_ call: Int, _ visit: Int, _ purpose: Int) -> UInt64 {
        var random = SeededRandom(seed: seed &+ UInt64(call) << 20 &+ UInt64(visit) << 4 &+ UInt64(purpose))
        return random.next()
    }
}
