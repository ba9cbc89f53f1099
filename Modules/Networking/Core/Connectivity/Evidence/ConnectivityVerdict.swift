import StrataDomain

/// What links and requests say together; pure, its time is given.
///
/// An answer proves that the network is there, whatever the links look like. Failures only hint: while the links are up,
/// enough of them in a row mean offline; they never stop anybody from trying. Each change of the links starts over.
struct ConnectivityVerdict: Sendable, Equatable {
    private enum Proof: Sendable, Equatable { case none, answered, failing }

    private struct Failure: Sendable, Equatable {
        let origin: Origin
        let instant: Duration
    }

    private let options: EvidenceOptions
    private var link: Connectivity?
    private var proof = Proof.none
    /// The latest first to last, at most as many as decide.
    private var failures: [Failure] = []

    init(_ options: EvidenceOptions = .standard) { self.options = options }

    /// `nil` until the links are known.
    var connectivity: Connectivity? {
        switch (link, proof) {
        case (nil, _): nil
        case (_, .answered): .online
        case (.offline, _), (.online, .failing): .offline
        case (.online, .none): .online
        }
    }

    /// - Parameter state: `nil` when the links are watched no more.
    mutating func link(_ state: Connectivity?) {
        guard state != link else { return }
        // The first look at the links is no change of theirs.
        if link != nil { forget() }
        link = state
    }

    mutating func answered() {
        proof = .answered
        failures = []
    }

    /// No connection to `origin` could be made.
    mutating func failed(_ origin: Origin, at now: Duration) {
        if link == .offline { return forget() }
        failures.removeAll { now - $0.instant > options.window }
        failures.append(Failure(origin: origin, instant: now))
        if failures.count > options.failures { failures.removeFirst() }
        let origins = Set(failures.map(\.origin)).count
        if origins >= options.origins || failures.count >= options.failures { proof = .failing }
    }

    private mutating func forget() {
        proof = .none
        failures = []
    }
}

/// When failed connections hint that the network is gone.
public struct EvidenceOptions: Sendable, Hashable {
    /// Failures in a row, to whatever origin. Default 3.
    public let failures: Int
    /// Origins that failed in a row. Default 2: when one server is down, others answer.
    public let origins: Int
    /// Older failures do not count. Default 60 s.
    public let window: Duration

    public static let standard = EvidenceOptions(unchecked: 3, 2, .seconds(60))

    /// - Parameters:
    ///   - failures: 1 to 100.
    ///   - origins: 1 to 100; more than `failures` never decides.
    ///   - window: More than zero.
    public init(failures: Int = 3, origins: Int = 2, window: Duration = .seconds(60)) throws(OptionsError) {
        guard (1...100).contains(failures) else {
            throw OptionsError("\(failures) failures in a row cannot decide; use 1 to 100.")
        }
        guard (1...100).contains(origins) else {
            throw OptionsError("\(origins) failing origins cannot decide; use 1 to 100.")
        }
        guard window > .zero else {
            throw OptionsError("Failures cannot count for \(window.text); use more than zero.")
        }
        self.init(unchecked: failures, origins, window)
    }

    private init(unchecked failures: Int, _ origins: Int, _ window: Duration) {
        self.failures = failures
        self.origins = origins
        self.window = window
    }
}
