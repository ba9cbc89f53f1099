import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

struct KeyLeasesTests {
    let directory: TemporaryDirectory
    let clock = ManualClock()
    /// Two values on one directory exclude each other like two processes.
    let ours: KeyLeases
    let theirs: KeyLeases
    let key = LeaseKey(.tide())

    init() throws {
        directory = try TemporaryDirectory()
        ours = KeyLeases(directory: directory.path, clock: clock, logger: .silent)
        theirs = KeyLeases(directory: directory.path, clock: clock, logger: .silent)
    }

    /// Another holder that stays until the gate opens.
    private func holder(of key: LeaseKey, in leases: KeyLeases, until gate: Gate) async -> Task<Void, any Error> {
        let inside = Gate()
        let task = Task {
            try await leases.withLease(key, upTo: .zero) { grant in
                #expect(grant == .atOnce)
                inside.open()
                try await gate.wait()
            }
        }
        try? await inside.wait()
        return task
    }

    enum Sharing: CaseIterable, Sendable { case oneValue, twoValues, noDirectory, notADirectory }

    /// Two values that are to exclude each other.
    private func pair(_ sharing: Sharing) throws -> (KeyLeases, KeyLeases) {
        switch sharing {
        case .oneValue: return (ours, ours)
        case .twoValues: return (ours, theirs)
        case .noDirectory:
            let leases = KeyLeases(directory: nil, clock: clock, logger: .silent)
            return (leases, leases)
        case .notADirectory:
            try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
            let leases = KeyLeases(directory: directory.path + "/file", clock: clock, logger: .silent)
            return (leases, leases)
        }
    }

    @Test(arguments: Sharing.allCases)
    func `the second waits for the first and is told so`(sharing: Sharing) async throws {
        let (first, second) = try pair(sharing)
        let gate = Gate()
        let holding = await holder(of: key, in: first, until: gate)
        let waiting = Task { try await second.withLease(key, upTo: .seconds(9)) { $0 } }
        await clock.waitForSleeper()
        gate.open()
        try await holding.value
        clock.advance(by: .milliseconds(1))
        #expect(try await waiting.value == .afterWaiting)
    }

    @Test(arguments: Sharing.allCases)
    func `a lease is free again when its body throws`(sharing: Sharing) async throws {
        let (first, second) = try pair(sharing)
        await #expect(throws: DomainError.cancelled) {
            try await first.withLease(key, upTo: .zero) { _ in throw DomainError.cancelled }
        }
        #expect(try await second.withLease(key, upTo: .zero) { $0 } == .atOnce)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .milliseconds(500), .seconds(-1)])
    func `nobody waits longer than asked, and goes on without the lease`(limit: Duration) async throws {
        let gate = Gate()
        let holding = await holder(of: key, in: ours, until: gate)
        let waiting = Task { try await theirs.withLease(key, upTo: limit) { $0 } }
        var waited = Duration.zero
        while waited < limit {
            await clock.waitForSleeper()
            let pause = try #require(clock.waits.first)
            #expect(pause > .zero && pause <= .milliseconds(20))
            clock.advance(by: pause)
            waited += pause
        }
        #expect(waited == max(.zero, limit))
        #expect(try await waiting.value == .busy)
        gate.open()
        try await holding.value
    }

    @Test func `one that goes on without the lease does not take it from its holder`() async throws {
        let gate = Gate()
        let holding = await holder(of: key, in: ours, until: gate)
        for leases in [ours, theirs] {
            for _ in 0..<3 { #expect(try await leases.withLease(key, upTo: .zero) { $0 } == .busy) }
        }
        gate.open()
        try await holding.value
        #expect(try await theirs.withLease(key, upTo: .zero) { $0 } == .atOnce)
    }

    @Test(arguments: Sharing.allCases)
    func `whoever waits can be cancelled`(sharing: Sharing) async throws {
        let (first, second) = try pair(sharing)
        let gate = Gate()
        let holding = await holder(of: key, in: first, until: gate)
        let waiting = Task { try await second.withLease(key, upTo: .seconds(9)) { _ in } }
        await clock.waitForSleeper()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.open()
        try await holding.value
    }

    @Test func `different keys do not wait for each other`() async throws {
        let keys = (0..<2000).map { LeaseKey(.tide("station \($0)")) }
        #expect(Set(keys.map(\.place)).count == 2000)
        #expect(keys.allSatisfy { (0..<(1 << 62)).contains($0.place) })
        let gate = Gate()
        var holders: [Task<Void, any Error>] = []
        for key in keys.prefix(200) { holders.append(await holder(of: key, in: ours, until: gate)) }
        for key in keys.suffix(200) { #expect(try await theirs.withLease(key, upTo: .zero) { $0 } == .atOnce) }
        for key in keys.prefix(200) { #expect(try await theirs.withLease(key, upTo: .zero) { $0 } == .busy) }
        gate.open()
        for holder in holders { try await holder.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["leases.lock"])
    }

    @Test func `purposes, principals and names make different keys`() {
        let keys = [
            LeaseKey(.tide(principal: "ada")), LeaseKey(.tide(principal: "bob")), LeaseKey(.tide("other")),
            LeaseKey(purpose: "value", "a"), LeaseKey(purpose: "valuea", ""), LeaseKey(purpose: "", "valuea"),
            LeaseKey(HTTPCacheKey(principal: "ada", url: "http://a.test/")),
            LeaseKey(HTTPCacheKey(principal: "bob", url: "http://a.test/")),
            LeaseKey(HTTPCacheKey(principal: "ad", url: "ahttp://a.test/")),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(LeaseKey(.tide()) == LeaseKey(.tide()))
    }

    @Test func `a lease inside a lease of another purpose is fine`() async throws {
        let inner = LeaseKey(HTTPCacheKey(principal: "ada", url: "http://tides.test/BAR7"))
        let grants = try await ours.withLease(key, upTo: .zero) { outer in
            try await ours.withLease(inner, upTo: .zero) { [outer, $0] }
        }
        #expect(grants == [.atOnce, .atOnce])
    }

    @Test func `a thousand tasks are inside one by one`() async throws {
        let leases = [
            KeyLeases(directory: directory.path, logger: .silent),
            KeyLeases(directory: directory.path, logger: .silent),
        ]
        let (inside, most, done) = (Counter(), Counter(), Counter())
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    try? await leases[number % 2].withLease(key, upTo: .seconds(60)) { _ in
                        if inside.increment() != most.increment() { Issue.record("two were inside") }
                        await Task.yield()
                        done.increment()
                    }
                }
            }
        }
        #expect(done.value == 1000)
    }

    @Test func `when the cache is removed under it, those who come later exclude each other`() async throws {
        let gate = Gate()
        let old = await holder(of: key, in: ours, until: gate)
        try FileManager.default.removeItem(atPath: directory.path)
        // The old holder is alone with its file.
        let newGate = Gate()
        let new = await holder(of: key, in: theirs, until: newGate)
        gate.open()
        try await old.value
        #expect(try await ours.withLease(key, upTo: .zero) { $0 } == .busy)
        newGate.open()
        try await new.value
        #expect(try await ours.withLease(key, upTo: .zero) { $0 } == .atOnce)
    }

    @Test(arguments: ["link", "directory", "pipe"])
    func `what lies in the place of the lock file is not touched, and costs only the coalescing`(
        kind: String
    ) async throws {
        let path = directory.path + "/leases.lock"
        let target = directory.path + "/target"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: try #require(mkfifo(path, 0o600) == 0)
        }
        for _ in 0..<2 { #expect(try await ours.withLease(key, upTo: .zero) { $0 } == .atOnce) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
    }

    @Test func `the lock file is for its owner only`() async throws {
        let leases = KeyLeases(directory: directory.path + "/new/deeper", clock: clock, logger: .silent)
        try await leases.withLease(key, upTo: .zero) { _ in }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/new/deeper/leases.lock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 0)
    }
}
