import StrataTesting

/// The actions of one run, drawn from its seed before it starts, so that a failing run can be reduced to fewer actions.
struct Plan: Sendable, CustomStringConvertible {
    let seed: UInt64
    let devices: Int
    var actions: [Action]

    struct Action: Sendable, CustomStringConvertible {
        /// Milliseconds from the start.
        let at: Int
        let device: Int
        let kind: Kind
        /// The description of `kind`, made once, because that takes longer than many actions.
        let text: String
        var description: String { "\(at) ms, device \(device): \(text)" }

        init(at: Int, device: Int, kind: Kind) {
            (self.at, self.device, self.kind, text) = (at, device, kind, "\(kind)")
        }
    }

    enum Kind: Sendable {
        /// A local create, update or delete, according to `choice`.
        case write(entity: Int, choice: Int)
        /// A local write that the server always rejects.
        case poison(entity: Int)
        case resolve(keepsLocal: Bool)
        /// Another process of this device makes a run.
        case otherProcess
        case crash(restart: Int)
        /// A crash at the write after the next `count`, before or after its commit.
        case crashAtWrite(count: Int, afterCommit: Bool, restart: Int)
        /// Requests or responses of this device are lost.
        case partition(requests: Bool, answers: Bool, for: Int)
        /// Messages are lost, or delivered late and twice.
        case storm(for: Int)
        case serverFails(status: Int, for: Int)
        case tokenExpires(for: Int)
        case cable(out: Int)
        case backup, restore, prune
        /// Nothing can be written on this device.
        case diskFull(for: Int)
        /// The processes of this device stop at their next access to the disk.
        case frozen(for: Int)
        /// In hours.
        case clockJump(Int)
        /// A newer program writes an unknown field.
        case foreign(entity: Int, deletes: Bool)
        /// The program is replaced by one with a further collection.
        case upgrade
        /// Another program edits rows of the database.
        case tamper(Int)
    }

    static let entities = 5
    /// Length of the time with faults, in milliseconds.
    static let faults = 45_000

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed ^ 0xA5A5_5A5A)
        devices = Int.random(in: 0..<5, using: &random) == 0 ? 3 : 2
        let count = Int.random(in: 8...22, using: &random)
        // With fewer rows, edits overlap more often.
        let entities = Int.random(in: 1...Self.entities, using: &random)
        actions = []
        var last = 0
        for _ in 0..<count {
            // Half of the actions follow another one while its messages are in flight.
            let isClose = Bool.random(using: &random)
            let at =
                isClose ? last + .random(in: 0..<900, using: &random) : .random(in: 0..<Self.faults, using: &random)
            last = min(at, Self.faults - 1)
            let device = Int.random(in: 0..<devices, using: &random)
            actions.append(Action(at: last, device: device, kind: Self.kind(entities, &random)))
        }
        actions.sort { $0.at < $1.at }
    }

    private static func kind(_ entities: Int, _ random: inout SeededRandom) -> Kind {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        let entity = number(0..<entities)
        switch number(0..<51) {
        case 0..<18: return .write(entity: entity, choice: number(0..<8))
        case 18..<20: return .poison(entity: entity)
        case 20..<22: return .resolve(keepsLocal: number(0..<2) == 0)
        case 22: return .otherProcess
        case 23..<25: return .crash(restart: number(0..<8000))
        case 25..<28:
            return .crashAtWrite(count: number(0..<6), afterCommit: number(0..<2) == 0, restart: number(0..<8000))
        case 28..<30: return .partition(requests: true, answers: number(0..<2) == 0, for: number(2000..<20_000))
        case 30..<32: return .partition(requests: false, answers: true, for: number(2000..<20_000))
        case 32..<34: return .storm(for: number(2000..<20_000))
        case 34..<36:
            return .serverFails(status: [500, 503, 429, 408][number(0..<4)], for: number(1000..<15_000))
        case 36: return .tokenExpires(for: number(1000..<20_000))
        case 37: return .cable(out: number(1000..<15_000))
        case 38: return .backup
        case 39: return .restore
        case 40: return .prune
        case 41: return .clockJump(number(-90_000..<90_000))
        case 42..<45: return .foreign(entity: entity, deletes: number(0..<4) == 0)
        case 45: return .upgrade
        case 46: return .diskFull(for: number(500..<8000))
        case 47: return .frozen(for: number(500..<25_000))
        default: return .tamper(number(0..<8))
        }
    }

    var description: String {
        "\(devices) devices\n" + actions.map { "  \($0)" }.joined(separator: "\n")
    }
}
