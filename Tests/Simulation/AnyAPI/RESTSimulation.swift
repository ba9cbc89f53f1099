import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting

/// Runs a plan against a REST server.
enum RESTSimulation {
    struct Result: Sendable {
        var violation: String?
        /// The hash of the trace.
        var hash: UInt64
        var counts: RESTCounts
        var steps: Int
        var trace: [String]
    }

    static func run(
        _ plan: RESTPlan, _ rules: RESTRules, bug: RESTBug? = nil, keepsTrace: Bool = false, on shelf: DiskShelf
    ) throws -> Result {
        let world = RESTWorld(rules, seed: plan.seed, bug: bug, keepsTrace: keepsTrace)
        world.devices = try (0..<plan.devices).map { try RESTDevice($0, world, try shelf.take()) }
        try SimulatedDisk.holding(world.devices.map(\.disk)[...]) { play(plan, in: world) }
        // A database with a planted trigger is not reused.
        if bug?.trigger == nil { for device in world.devices { try shelf.put(device.disk.queue) } }
        return Result(
            violation: world.violation, hash: world.hash, counts: world.server.counts, steps: world.scheduler.steps,
            trace: world.trace)
    }

    private static func play(_ plan: RESTPlan, in world: RESTWorld) {
        var isOver = false
        schedule(plan, in: world) { isOver = true }
        for device in world.devices { device.start() }
        let end = world.scheduler.run { isOver || world.violation != nil }
        if end != .done { world.fail("The run is \(end) after \(world.scheduler.steps) steps.") }
        for device in world.devices { device.life?.end() }
        // Cancelled tasks end, so that no continuation is left.
        var isSettled = false
        world.scheduler.after(.seconds(100)) { isSettled = true }
        _ = world.scheduler.run(until: { isSettled })
    }

    /// The rounds in which a user resolves conflicts and discards refused writes, after the faults have ended.
    private static let rounds = 12
    private static let roundLength = 12_000

    private static func schedule(_ plan: RESTPlan, in world: RESTWorld, _ over: @escaping () -> Void) {
        func at(_ milliseconds: Int, _ work: @escaping () -> Void) {
            world.scheduler.after(.milliseconds(milliseconds)) {
                work()
                RESTInvariants.checkStep(world)
            }
        }
        for action in plan.actions {
            at(action.at) {
                world.note(action.text)
                perform(action, world)
            }
        }
        let healed = RESTPlan.faults
        at(healed) {
            world.note("healed")
            (world.failure, world.failureAfterEffect, world.listsAreCutUntil) = (nil, nil, .zero)
            for device in world.devices { device.heal() }
        }
        // The last late copy of a request has arrived.
        at(healed + 17_000) { if RESTInvariants.difference(world) == nil { over() } }
        let drained = healed + 3 * Int(RESTDevice.cap.milliseconds)
        at(drained) { RESTInvariants.checkDrained(world) }
        for round in 0..<rounds {
            at(drained + round * roundLength) {
                guard let difference = RESTInvariants.difference(world) else { return over() }
                if round == rounds - 1 {
                    world.fail("Not settled \(rounds) rounds after the faults: \(difference)")
                    return over()
                }
                world.note("not settled: \(difference)")
                for device in world.devices {
                    device.resolve(keepingLocal: round % 2 == 1, all: true)
                    device.discardRefused()
                    device.confirmDeletions()
                }
            }
        }
    }

    private static func perform(_ action: RESTPlan.Action, _ world: RESTWorld) {
        let device = world.devices[action.device]
        func until(_ milliseconds: Int) -> Duration { world.now + .milliseconds(milliseconds) }
        switch action.kind {
        case .write(let place, let choice): device.write(place, choice)
        case .poison(let place, let choice): device.write(place, choice, isPoison: true)
        case .resolve(let keepsLocal): device.resolve(keepingLocal: keepsLocal)
        case .otherProcess: device.runOtherProcess()
        case .crash(let restart): if let life = device.life { device.crash(life, restart: restart) }
        case .crashAtWrite(let count, let afterCommit, let restart):
            device.armed = Machine.Crash(count: count, afterCommit: afterCommit, restart: restart)
        case .partition(let requests, let answers, let wait):
            if requests { device.cuts.requests = until(wait) }
            if answers { device.cuts.answers = until(wait) }
        case .storm(let wait): device.stormUntil = until(wait)
        case .serverFails(let status, let wait): world.failure = (status, until(wait))
        case .failsAfterEffect(let status, let wait): world.failureAfterEffect = (status, until(wait))
        case .listsAreCut(let wait): world.listsAreCutUntil = until(wait)
        case .tokenExpires(let wait): device.tokenExpiredUntil = until(wait)
        case .offline(let wait):
            device.cuts = Machine.Cuts(requests: until(wait), answers: until(wait))
            device.link.set(.offline)
            world.scheduler.after(.milliseconds(wait)) { device.link.set(.online) }
        case .foreign(let place, let choice): world.writeForeign(place, choice)
        case .serverClock(let milliseconds): world.server.drift = Int64(milliseconds)
        case .serverAhead(let wait):
            world.server.clockOffset += 3_600_000
            world.scheduler.after(.milliseconds(wait)) { world.server.clockOffset -= 3_600_000 }
        case .rowFromTheFuture(let place):
            let rows = world.server.live("projects")
            if !rows.isEmpty { world.server.postdate("projects", rows[place % rows.count].row.id) }
        case .logForgotten: world.server.forgetLog()
        case .clockJump(let hours): device.wallClock.advance(by: .seconds(hours * 3600))
        case .diskFull(let wait): device.fullUntil = until(wait)
        case .frozen(let wait): device.frozenUntil = until(wait)
        }
    }
}
