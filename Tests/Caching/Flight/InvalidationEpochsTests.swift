import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

struct InvalidationEpochsTests {
    let directory: TemporaryDirectory
    /// Two values on one directory are like two processes.
    let ours: InvalidationEpochs
    let theirs: InvalidationEpochs
    let clock = ManualClock()
    let scopes: Set<Invalidation> = [.all, .key(.tide()), .tag("tides"), .tag("harbour")]

    init() throws {
        directory = try TemporaryDirectory()
        ours = InvalidationEpochs(directory: directory.path, clock: clock, logger: .silent)
        theirs = InvalidationEpochs(directory: directory.path, clock: clock, logger: .silent)
    }

    private func stores(_ epochs: InvalidationEpochs, since mark: EpochFile.Mark?) async -> Bool {
        let ran = Counter()
        let isStored = await epochs.storing(scopes, since: mark) { ran.increment() }
        #expect((ran.value == 1) == isStored)
        return isStored
    }

    @Test(arguments: [
        (Invalidation.all, true), (.key(.tide()), true), (.tag("tides"), true), (.tag("harbour"), true),
        (.key(.tide("other")), false), (.key(.tide(principal: "bob")), false), (.tag("other"), false),
        (.tag(""), false),
        (.tag("GET /tides/BAR7?"), false),
    ])
    func `only what was invalidated since is not stored`(invalidation: Invalidation, isCovered: Bool) async {
        for epochs in [ours, theirs] {
            let mark = await ours.mark(of: scopes)
            #expect(mark != nil)
            await epochs.invalidating(invalidation) {}
            #expect(await stores(ours, since: mark) == !isCovered)
            let newMark = await ours.mark(of: scopes)
            #expect(await stores(ours, since: newMark))
        }
    }

    @Test func `an invalidation waits until nobody is storing`() async {
        let (gate, inside) = (Gate(), Gate())
        let mark = await ours.mark(of: scopes)
        async let storing = ours.storing(scopes, since: mark) {
            inside.open()
            try? await gate.wait()
        }
        try? await inside.wait()
        // Those who store do not wait for each other.
        #expect(await stores(ours, since: mark))
        #expect(await stores(theirs, since: mark))
        let isDone = Counter()
        async let invalidating: Void = theirs.invalidating(.tag("tides")) { isDone.increment() }
        await clock.waitForSleeper()
        #expect(isDone.value == 0)
        gate.open()
        #expect(await storing)
        clock.advance(by: .milliseconds(2))
        await invalidating
        #expect(isDone.value == 1)
        #expect(await !stores(ours, since: mark))
    }

    @Test func `who stores waits until an invalidation is over`() async {
        let (gate, inside) = (Gate(), Gate())
        let mark = await ours.mark(of: scopes)
        async let invalidating: Void = theirs.invalidating(.tag("tides")) {
            inside.open()
            try? await gate.wait()
        }
        try? await inside.wait()
        async let isStored = stores(ours, since: mark)
        await clock.waitForSleeper()
        gate.open()
        await invalidating
        clock.advance(by: .milliseconds(2))
        #expect(await !isStored)
    }

    @Test(arguments: [false, true])
    func `an invalidation waits no longer than its patience, cancelled or not`(isCancelled: Bool) async {
        let (gate, inside) = (Gate(), Gate())
        let mark = await ours.mark(of: scopes)
        async let storing = ours.storing(scopes, since: mark) {
            inside.open()
            try? await gate.wait()
        }
        try? await inside.wait()
        let isDone = Counter()
        let invalidating = Task { await theirs.invalidating(.all) { isDone.increment() } }
        if isCancelled { invalidating.cancel() }
        for _ in 0..<1000 {
            await clock.waitForSleeper()
            #expect(isDone.value == 0)
            clock.advance(by: .milliseconds(2))
        }
        await invalidating.value
        #expect(isDone.value == 1)
        #expect(await !stores(ours, since: mark))
        gate.open()
        _ = await storing
    }

    @Test func `when the file is removed, what began before is not stored`() async throws {
        let mark = await ours.mark(of: scopes)
        try FileManager.default.removeItem(atPath: directory.path + "/epochs")
        #expect(await !stores(ours, since: mark))
        let newMark = await ours.mark(of: scopes)
        #expect(newMark != mark)
        #expect(await stores(theirs, since: newMark))
    }

    @Test(arguments: [0, 1, 7, 8, 9, 100, 4095, 5000])
    func `a file of any length and content is counted in`(length: Int) async throws {
        try Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 255) })
            .write(to: URL(fileURLWithPath: directory.path + "/epochs"))
        let mark = await ours.mark(of: scopes)
        #expect(await stores(theirs, since: mark))
        await theirs.invalidating(.tag("tides")) {}
        #expect(await !stores(ours, since: mark))
    }

    @Test func `a directory that cannot be used costs only the order among processes`() async {
        let epochs = InvalidationEpochs(directory: "/dev/null", clock: clock, logger: .silent)
        let mark = await epochs.mark(of: scopes)
        #expect(mark == nil)
        let isDone = Counter()
        await epochs.invalidating(.all) { isDone.increment() }
        #expect(isDone.value == 1)
        #expect(await stores(epochs, since: mark))
    }

    @Test func `the file stays small and for its owner only`() async throws {
        for number in 0..<3000 { await ours.invalidating(.tag("tag \(number)")) {} }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/epochs")
        #expect(try #require(attributes[.size] as? Int) <= 4096)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
