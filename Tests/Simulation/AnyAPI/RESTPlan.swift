import StrataTesting

/// The actions of one run against a REST server, drawn from its seed before it starts.
struct RESTPlan: Sendable, CustomStringConvertible {
    let seed: UInt64
    let devices: Int
    var actions: [Action]

    struct Action: Sendable, CustomStringConvertible {
        /// Milliseconds from the start.
        let at: Int
        let device: Int
        let kind: Kind
        /// The description of `kind`.
        let text: String
        var description: String { "\(at) ms, device \(device): \(text)" }

        init(at: Int, device: Int, kind: Kind) {
            (self.at, self.device, self.kind, text) = (at, device, kind, "\(kind)")
        }
    }

    enum Kind: Sendable {
        /// A local create, update or delete. `place` chooses among the rows that are shown, and behind them is a new one.
        case write(place: Int, choice: Int)
        /// A local write that the server always refuses.
        case poison(place: Int, choice: Int)
        case resolve(keepsLocal: Bool)
        case otherProcess
        case crash(restart: Int)
        /// A crash at the write after the next `count`, before or after its commit.
        case crashAtWrite(count: Int, afterCommit: Bool, restart: Int)
        /// Requests or responses of this device are lost.
        case partition(requests: Bool, answers: Bool, for: Int)
        /// Messages are lost, or delivered late and twice.
        case storm(for: Int)
        /// The server answers with a status, before the effect.
        case serverFails(status: Int, for: Int)
        /// The server answers with a status after the effect.
        case failsAfterEffect(status: Int, for: Int)
        /// Lists are cut, and look complete.
        case listsAreCut(for: Int)
        case tokenExpires(for: Int)
        case offline(for: Int)
        /// A client that is not ours writes.
        case foreign(place: Int, choice: Int)
        /// Of the server, in milliseconds: as much as the overlap covers.
        case serverClock(Int)
        /// The server's clock is an hour ahead, and is set back.
        case serverAhead(for: Int)
        /// A row of another client has a time far in the future.
        case rowFromTheFuture(place: Int)
        /// Cursors expire.
        case logForgotten
        /// Of the device, in hours.
        case clockJump(Int)
        case diskFull(for: Int)
        case frozen(for: Int)
    }

    /// Length of the time with faults, in milliseconds.
    static let faults = 40_000

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed ^ 0x0FF1_CE00)
        devices = Int.random(in: 0..<6, using: &random) == 0 ? 3 : 2
        let count = Int.random(in: 8...20, using: &random)
        actions = []
        var last = 0
        for _ in 0..<count {
            // Half of the actions follow another one while its messages are in flight.
            let isClose = Bool.random(using: &random)
            let at =
                isClose ? last + .random(in: 0..<1200, using: &random) : .random(in: 0..<Self.faults, using: &random)
            last = min(at, Self.faults - 1)
            let device = Int.random(in: 0..<devices, using: &random)
            actions.append(Action(at: last, device: device, kind: Self.kind(&random)))
        }
        actions.sort { $0.at < $1.at }
    }

    private static func kind(_ random: inout SeededRandom) -> Kind {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        let (place, choice) = (number(0..<60), number(0..<24))
        switch number(0..<60) {
        case 0..<22: return .write(place: place, choice: choice)
        case 22..<24: return .poison(place: place, choice: choice)
        case 24..<26: return .resolve(keepsLocal: number(0..<2) == 0)
        case 26: return .otherProcess
        case 27..<29: return .crash(restart: number(0..<6000))
        case 29..<33:
            return .crashAtWrite(count: number(0..<6), afterCommit: number(0..<2) == 0, restart: number(0..<6000))
        case 33..<35: return .partition(requests: true, answers: number(0..<2) == 0, for: number(2000..<15_000))
        case 35..<38: return .partition(requests: false, answers: true, for: number(1000..<15_000))
        case 38..<40: return .storm(for: number(2000..<15_000))
        case 40..<42:
            return .serverFails(status: [500, 503, 429, 408][number(0..<4)], for: number(1000..<12_000))
        case 42..<44: return .failsAfterEffect(status: [500, 502, 504][number(0..<3)], for: number(1000..<8000))
        case 44..<46: return .listsAreCut(for: number(1000..<15_000))
        case 46: return .tokenExpires(for: number(1000..<15_000))
        case 47: return .offline(for: number(1000..<15_000))
        case 48..<54: return .foreign(place: place, choice: choice)
        case 54:
            return number(0..<2) == 0 ? .serverClock(number(-2000..<2001)) : .serverAhead(for: number(2000..<20_000))
        case 55: return .rowFromTheFuture(place: place)
        case 56: return .logForgotten
        case 57: return .clockJump(number(-90_000..<90_000))
        case 58: return .diskFull(for: number(500..<6000))
        default: return .frozen(for: number(500..<20_000))
        }
    }

    var description: String { "\(devices) devices\n" + actions.map { "  \($0)" }.joined(separator: "\n") }
}
