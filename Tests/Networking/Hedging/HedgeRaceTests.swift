import StrataTesting
import Testing

@testable import StrataNetworking

struct HedgeRaceTests {
    @Test func `the first good answer wins, and every other loses`() {
        let race = HedgeRace()
        for runner in 0..<3 { #expect(race.enter(runner)) }
        #expect(race.arrive(1, isGood: true) == .wins)
        #expect(race.arrive(0, isGood: true) == .loses)
        #expect(race.arrive(2, isGood: false) == .loses)
        #expect(!race.isOpen)
    }

    @Test func `a bad answer loses while another runs, and wins as the last`() {
        let race = HedgeRace()
        for runner in 0..<3 { #expect(race.enter(runner)) }
        #expect(race.arrive(2, isGood: false) == .loses)
        #expect(!race.fail(0))
        #expect(race.arrive(1, isGood: false) == .wins)
    }

    @Test func `the last failure decides`() {
        let race = HedgeRace()
        for runner in 0..<3 { #expect(race.enter(runner)) }
        #expect([race.fail(1), race.fail(0), race.fail(2)] == [false, false, true])
    }

    @Test func `the failure of the winner decides, and that of a loser does not`() {
        let race = HedgeRace()
        for runner in 0..<2 { #expect(race.enter(runner)) }
        #expect(race.arrive(0, isGood: true) == .wins)
        #expect(!race.fail(1))
        #expect(race.fail(0))
    }

    @Test func `nobody joins a race that is won, lost or called off`() {
        let (won, lost, off) = (HedgeRace(), HedgeRace(), HedgeRace())
        for race in [won, lost, off] { #expect(race.enter(0)) }
        #expect(won.arrive(0, isGood: true) == .wins)
        #expect(lost.fail(0))
        off.cancel()
        for race in [won, lost, off] {
            #expect(!race.isOpen)
            #expect(!race.enter(1))
        }
        #expect(off.arrive(0, isGood: true) == .loses)
    }

    @Test func `a task that is named after the race is over is cancelled at once`() async {
        let race = HedgeRace()
        for runner in 0..<2 { #expect(race.enter(runner)) }
        #expect(race.arrive(0, isGood: true) == .wins)
        let loser = Task { () -> Void in try? await Gate().wait() }
        race.attach(loser, to: 1)
        await loser.value
        #expect(loser.isCancelled)
    }

    @Test func `one that lost with a bad answer is cancelled too, once another has won`() async {
        let race = HedgeRace()
        let tasks = (0..<2).map { _ in Task { () -> Void in try? await Gate().wait() } }
        for runner in 0..<2 {
            #expect(race.enter(runner))
            race.attach(tasks[runner], to: runner)
        }
        #expect(race.arrive(0, isGood: false) == .loses)
        #expect(!tasks[0].isCancelled)
        #expect(race.arrive(1, isGood: true) == .wins)
        await tasks[0].value
        #expect(tasks[0].isCancelled)
        #expect(!tasks[1].isCancelled)
        race.cancel()
        await tasks[1].value
    }

    /// Real tasks in any order: exactly one decides, whatever each meets.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `one alone decides, however the answers fall`(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let race = HedgeRace()
            let fates = (0..<4).map { _ in Int.random(in: 0..<3, using: &random) }
            for runner in fates.indices { #expect(race.enter(runner)) }
            let decisions = await withTaskGroup(of: Int.self) { group in
                for (runner, fate) in fates.enumerated() {
                    group.addTask {
                        await Task.yield()
                        if fate == 0 { return race.fail(runner) ? 1 : 0 }
                        return race.arrive(runner, isGood: fate == 1) == .wins ? 1 : 0
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(decisions == 1)
        }
    }
}
