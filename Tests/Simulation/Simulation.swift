import Dispatch
import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting

/// Runs a plan.
enum Simulation {
    struct Result: Sendable {
        var violation: String?
        /// The hash of the trace.
        var hash: UInt64
        /// The live rows of the server at the end.
        var end: [String: [String: JSONValue]]
        var steps: Int
        var trace: [String]
    }

    static func run(
        _ plan: Plan, bug: PlantedBug? = nil, isClockPerfect: Bool = false, keepsTrace: Bool = false,
        on shelf: DiskShelf
    ) throws -> Result {
        let world = World(seed: plan.seed, bug: bug, isClockPerfect: isClockPerfect, keepsTrace: keepsTrace)
        world.devices = try (0..<plan.devices).map { try Device($0, world, try shelf.take()) }
        try SimulatedDisk.holding(world.devices.map(\.disk)[...]) { play(plan, in: world) }
        // A database with a planted trigger is not reused.
        if bug?.trigger == nil { for device in world.devices { try shelf.put(device.disk.queue) } }
        return Result(
            violation: world.violation, hash: world.hash,
            end: Dictionary(uniqueKeysWithValues: world.server.live.map { ($0.key.id, $0.value) }),
            steps: world.scheduler.steps, trace: world.trace)
    }

    private static func play(_ plan: Plan, in world: World) {
        var isOver = false
        schedule(plan, in: world) { isOver = true }
        for device in world.devices { device.start() }
        let end = world.scheduler.run { isOver || world.violation != nil }
        if end != .done { world.fail("The run is \(end).") }
        for device in world.devices { device.life?.end() }
        // Cancelled tasks end, so that no continuation is left.
        var isSettled = false
        world.scheduler.after(.seconds(100)) { isSettled = true }
        _ = world.scheduler.run(until: { isSettled })
    }

    private static func schedule(_ plan: Plan, in world: World, _ over: @escaping () -> Void) {
        func at(_ milliseconds: Int, _ work: @escaping () -> Void) {
            world.scheduler.after(.milliseconds(milliseconds)) {
                work()
                Invariants.checkStep(world)
            }
        }
        for action in plan.actions {
            at(action.at) {
                world.note(action.text)
                perform(action, world)
            }
        }
        let healed = Plan.faults
        at(healed) {
            world.note("healed")
            world.failure = nil
            for device in world.devices { device.heal() }
        }
        let cap = Int(Device.cap.milliseconds)
        at(healed + 2 * cap) { Invariants.checkDrained(world) }
        // The user resolves conflicts and discards rejected entries, in several rounds, since two devices may conflict again.
        for round in 0..<8 {
            at(healed + 2 * cap + round * 12_000) {
                // An idle loop finds rows that were edited by hand.
                let isEarly = round < 4 && world.devices.contains(where: \.isTampered)
                guard isEarly || !Invariants.isQuiet(world), round < 7 else {
                    Invariants.checkConverged(world)
                    return over()
                }
                for device in world.devices {
                    device.resolve(keepingLocal: round % 2 == 1, all: true)
                    device.discardRefused()
                }
            }
        }
    }

    private static func perform(_ action: Plan.Action, _ world: World) {
        let device = world.devices[action.device]
        func until(_ milliseconds: Int) -> Duration { world.now + .milliseconds(milliseconds) }
        switch action.kind {
        case .write(let entity, let choice): device.write(entity, choice: choice)
        case .poison(let entity): device.write(entity, choice: 0, isPoison: true)
        case .resolve(let keepsLocal): device.resolve(keepingLocal: keepsLocal)
        case .otherProcess: device.runOtherProcess()
        case .crash(let restart): if let life = device.life { device.crash(life, restart: restart) }
        case .crashAtWrite(let count, let afterCommit, let restart):
            device.armed = Device.Crash(count: count, afterCommit: afterCommit, restart: restart)
        case .partition(let requests, let answers, let wait):
            if requests { device.cuts.requests = until(wait) }
            if answers { device.cuts.answers = until(wait) }
        case .storm(let wait): device.stormUntil = until(wait)
        case .serverFails(let status, let wait): world.failure = (status, until(wait))
        case .tokenExpires(let wait): device.tokenExpiredUntil = until(wait)
        case .cable(let wait):
            device.cuts = Device.Cuts(requests: until(wait), answers: until(wait))
            device.link.set(.offline)
            world.scheduler.after(.milliseconds(wait)) { device.link.set(.online) }
        case .backup: world.server.backUp()
        case .restore:
            if world.server.restore() { world.generation += 1 }
        case .prune: world.server.prune()
        case .clockJump(let hours):
            if !world.isClockPerfect { device.wallClock.advance(by: .seconds(hours * 3600)) }
        case .foreign(let entity, let deletes):
            let key = SimulatedRow.key(entity)
            if deletes {
                world.server.remove(key)
            } else {
                let tag = "f#\(action.at)"
                world.server.put(key, ["text": .string(tag), "later": .string("\(action.at)")])
            }
        case .upgrade: upgrade(device)
        case .diskFull(let wait): device.fullUntil = until(wait)
        case .frozen(let wait): device.frozenUntil = until(wait)
        case .tamper(let choice): device.tamper(choice)
        }
    }

    private static func upgrade(_ device: Device) {
        device.keepsDrafts = true
        if let life = device.life { device.crash(life, restart: 100) }
    }
}
