import FoundationEssentials
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct LoginThrottleTests {
    private let clock = ManualClock()
    private let wallClock = ManualWallClock(Sample.now)
    private let database: AuthDatabase
    private let throttle: LoginThrottle

    init() async throws {
        database = try await AuthDatabase()
        throttle = LoginThrottle(keys: try SigningKeys(secret: Sample.secret), clock: clock)
    }

    private func settle(_ username: String, _ peer: String, succeeded: Bool) async throws {
        try await database.store.write { [throttle, now = wallClock.now] transaction in
            try throttle.settle(username: username, peer: peer, succeeded: succeeded, at: now, in: transaction)
        }
    }

    private func fail(_ username: String, _ peer: String, times: Int = 1) async throws {
        for _ in 0..<times { try await settle(username, peer, succeeded: false) }
    }

    /// `Retry-After` of an attempt; `nil` for one that is not refused.
    private func wait(_ username: String, _ peer: String) async throws -> String? {
        try await refusal {
            try await database.store.read { [throttle, now = wallClock.now] reader in
                try throttle.check(username: username, peer: peer, at: now, in: reader)
            }
        }
    }

    private func refusal(_ body: () async throws -> Void) async throws -> String? {
        do { try await body() } catch let error as ServiceError {
            #expect(error.problem.status == 429 && LoginThrottle.isRefusal(error))
            return error.headers["Retry-After"]
        }
        return nil
    }

    @Test func `the eleventh attempt must wait until the window ends`() async throws {
        try await fail("ada", "192.0.2.1", times: 9)
        #expect(try await wait("ada", "192.0.2.1") == nil)
        try await fail("ada", "192.0.2.1")
        #expect(try await wait("ada", "192.0.2.1") == "900")
        wallClock.advance(by: .milliseconds(600_500))
        #expect(try await wait("ada", "192.0.2.1") == "300")
        wallClock.advance(by: .seconds(300))
        #expect(try await wait("ada", "192.0.2.1") == nil)
    }

    @Test func `the window starts with the first failure and attempts while waiting do not prolong it`() async throws {
        try await fail("ada", "192.0.2.1")
        wallClock.advance(by: .seconds(800))
        try await fail("ada", "192.0.2.1", times: 9)
        #expect(try await wait("ada", "192.0.2.1") == "100")
        await #expect(throws: ServiceError.self) { try await fail("ada", "192.0.2.1") }
        wallClock.advance(by: .seconds(100))
        #expect(try await wait("ada", "192.0.2.1") == nil)
    }

    @Test func `a success forgets the failures of that name at that address`() async throws {
        try await fail("ada", "192.0.2.1", times: 9)
        try await settle("ada", "192.0.2.1", succeeded: true)
        try await fail("ada", "192.0.2.1", times: 9)
        #expect(try await wait("ada", "192.0.2.1") == nil)
    }

    @Test func `the victim logs in from another address, and other users from the attacker's address`() async throws {
        try await fail("ada", "192.0.2.1", times: 10)
        #expect(try await wait("ada", "198.51.100.7") == nil)
        #expect(try await wait("bob", "192.0.2.1") == nil)
    }

    @Test func `a correct guess above the limit is refused like a wrong one`() async throws {
        try await fail("ada", "192.0.2.1", times: 10)
        await #expect(throws: ServiceError.self) {
            try await settle("ada", "192.0.2.1", succeeded: true)
        }
    }

    @Test func `a thousand simultaneous guesses learn ten results`() async {
        let learnt = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { await (try? fail("ada", "192.0.2.1")) == nil ? 0 : 1 }
            }
            return await group.reduce(0, +)
        }
        #expect(learnt == 10)
    }

    @Test func `one address may fail a hundred times over all names`() async throws {
        for number in 0..<100 { try await fail("user\(number)", "192.0.2.1") }
        #expect(try await wait("another", "192.0.2.1") == "900")
        #expect(try await wait("another", "192.0.2.2") == nil)
    }

    @Test func `a login to the attacker's own account does not reset the count of the address`() async throws {
        for number in 0..<100 {
            try await fail("user\(number)", "192.0.2.1")
            if number < 99 { try await settle("mallory", "192.0.2.1", succeeded: true) }
        }
        #expect(try await wait("another", "192.0.2.1") == "900")
    }

    @Test func `during an attack from many addresses a new address has three guesses and the victim can log in`()
        async throws
    {
        for number in 0..<100 { try await fail("ada", "192.0.2.\(number)") }
        #expect(try await wait("ada", "198.51.100.7") == nil)
        try await fail("ada", "198.51.100.7", times: 2)
        #expect(try await wait("ada", "198.51.100.7") == nil)
        try await fail("ada", "198.51.100.7")
        #expect(try await wait("ada", "198.51.100.7") == "900")
        #expect(try await wait("ada", "198.51.100.8") == nil)
    }

    @Test func `a whole IPv6 network counts as one address`() async throws {
        for number in 0..<10 { try await fail("ada", "2001:db8:1:2::\(number)") }
        #expect(try await wait("ada", "2001:db8:1:2:ffff::1") == "900")
        #expect(try await wait("ada", "2001:db8:1:3::1") == nil)
    }

    @Test(arguments: [3 * 60, 3600, 86_400, 100 * 365 * 86_400])
    func `a clock that goes backwards blocks no one longer than the window and two minutes`(_ step: Int) async throws {
        try await fail("ada", "192.0.2.1", times: 10)
        wallClock.advance(by: .seconds(-step))
        #expect(try await wait("ada", "192.0.2.1") == nil)
        try await fail("ada", "192.0.2.1", times: 10)
        #expect(try await wait("ada", "192.0.2.1") == "900")
        wallClock.advance(by: .seconds(900))
        #expect(try await wait("ada", "192.0.2.1") == nil)
    }

    @Test func `after a small step back a refusal names no longer wait than the window`() async throws {
        try await fail("ada", "192.0.2.1", times: 10)
        wallClock.advance(by: .seconds(-90))
        #expect(try await wait("ada", "192.0.2.1") == "900")
        wallClock.advance(by: .seconds(990))
        #expect(try await wait("ada", "192.0.2.1") == nil)
    }

    // The time of a request is that of its head, and its body may come a minute later.
    @Test func `guesses that settle in the reverse order of their start count together`() async throws {
        var learnt = 0
        for _ in 0..<50 {
            if (try? await fail("ada", "192.0.2.1")) != nil { learnt += 1 }
            wallClock.advance(by: .seconds(-1))
        }
        #expect(learnt == 10)
    }

    private func rateWait(_ username: String, _ peer: String) async throws -> String? {
        try await refusal { try throttle.take(username: username, peer: peer) }
    }

    @Test func `logins of a name from one address have a rate`() async throws {
        for _ in 0..<60 { #expect(try await rateWait("ada", "192.0.2.1") == nil) }
        #expect(try await rateWait("ada", "192.0.2.1") == "1")
        clock.advance(by: .milliseconds(250))
        #expect(try await rateWait("ada", "192.0.2.1") == nil)
        #expect(try await rateWait("ada", "192.0.2.1") == "1")
    }

    @Test func `the rate of a name at one address limits neither the name elsewhere nor other names there`()
        async throws
    {
        for _ in 0..<100 { _ = try await rateWait("ada", "192.0.2.1") }
        #expect(try await rateWait("ada", "192.0.2.1") == "1")
        #expect(try await rateWait("ada", "198.51.100.7") == nil)
        #expect(try await rateWait("bob", "192.0.2.1") == nil)
    }

    @Test func `a rate that is used again and again survives a flood of names`() async throws {
        let throttle = LoginThrottle(keys: try SigningKeys(secret: Sample.secret), capacity: 100, clock: clock)
        for _ in 0..<60 { try throttle.take(username: "ada", peer: "192.0.2.1") }
        for number in 0..<10_000 {
            try throttle.take(username: "user\(number)", peer: "192.0.2.1")
            guard number.isMultiple(of: 20) else { continue }
            #expect(throws: ServiceError.self) { try throttle.take(username: "ada", peer: "192.0.2.1") }
        }
    }

    @Test func `ended counts go with maintenance, and with the next failure where one write runs at a time`()
        async throws
    {
        for number in 0..<20 { try await fail("user\(number)", "192.0.2.1") }
        try await expectRows(41, in: "login_failure", of: database.store)
        wallClock.advance(by: .seconds(900))
        try await fail("ada", "198.51.100.7")
        let left = database.store.hasConcurrentWriters ? 44 : 3
        try await expectRows(left, in: "login_failure", of: database.store)
        try await database.store.write { [throttle, now = wallClock.now.addingTimeInterval(900)] transaction in
            try throttle.prune(at: now, in: transaction)
        }
        try await expectRows(0, in: "login_failure", of: database.store)
    }

    @Test func `other events have windows of their own, which end with no failed login`() async throws {
        func count(_ kind: String, _ subject: String, at seconds: Double = 0) async throws -> Int? {
            let now = wallClock.now.addingTimeInterval(seconds)
            return try await database.store.write { [throttle] transaction in
                try throttle.count(kind, of: subject, limit: 2, window: 3600, at: now, in: transaction)
            }
        }
        #expect(try await count("resets", "ada") == nil)
        #expect(try await count("resets", "ada", at: 10) == nil)
        #expect(try await count("resets", "ada", at: 20) == 3580)
        #expect(try await count("resets", "bob", at: 20) == nil)
        #expect(try await count("calls", "ada", at: 20) == nil)
        try await fail("ada", "192.0.2.1")
        try await database.store.write { [throttle, now = wallClock.now.addingTimeInterval(901)] transaction in
            try throttle.prune(at: now, in: transaction)
        }
        try await expectRows(3, in: "login_failure", of: database.store)
        #expect(try await count("resets", "ada", at: 3599.5) == 1)
        #expect(try await count("resets", "ada", at: 3600) == nil)
    }

    @Test func `the table has no name and no address in clear`() async throws {
        try await fail("a password in the wrong field", "192.0.2.1")
        let rows = try await database.store.read { try $0.rows("SELECT * FROM login_failure") }
        let text = rows.map { String(reflecting: $0) }.joined()
        #expect(rows.count == 3 && !text.contains("password") && !text.contains("192.0.2"))
    }

    @Test(arguments: StoreEngine.all)
    func `eleven wrong passwords spread over three replicas are eleven`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            var replicas: [any Store] = []
            for _ in 0..<3 { replicas.append(try await engine.open("\(directory)/data.db", isShared: true)) }
            try await replicas[0].migrate([LoginThrottle.migration])
            // Each replica has a throttle of its own, made of the same secret.
            let throttles = try replicas.map { _ in LoginThrottle(keys: try SigningKeys(secret: Sample.secret)) }
            let now = wallClock.now
            let learnt = await withTaskGroup(of: Bool.self) { group in
                for (store, throttle) in (0..<11).flatMap({ _ in zip(replicas, throttles) }) {
                    group.addTask {
                        await
                            (try? store.write { transaction in
                                try throttle.settle(
                                    username: "ada", peer: "192.0.2.1", succeeded: false, at: now, in: transaction)
                            }) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(learnt == 10)
            for (store, throttle) in zip(replicas, throttles) {
                let wait = try await refusal {
                    try await store.write { transaction in
                        try throttle.settle(
                            username: "ada", peer: "192.0.2.1", succeeded: true, at: now, in: transaction)
                    }
                }
                #expect(wait == "900")
            }
            for store in replicas { try await StoreEngine.close(store) }
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:DB8:0:0:1:2:3:4", "2001:db8:0:0::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"),
        ("", ""), ("not an address", "not an address"), ("12345::", "12345::"),
    ])
    func `an IPv6 address counts as its network of 64 bits`(peer: String, network: String) {
        #expect(ClientNetwork.key(peer) == network)
    }
}
