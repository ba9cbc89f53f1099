import HTTPTypes
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct LoginThrottleTests {
    private let clock = ManualClock()
    private let throttle: LoginThrottle

    init() { throttle = LoginThrottle(clock: clock) }

    private func fail(_ username: String, _ peer: String, times: Int = 1) throws {
        for _ in 0..<times { try throttle.settle(username: username, peer: peer, succeeded: false) }
    }

    private func wait(_ username: String, _ peer: String) -> String? {
        do throws(ServiceError) { try throttle.check(username: username, peer: peer) } catch {
            #expect(error.problem.status == 429)
            return error.headers["Retry-After"]
        }
        return nil
    }

    @Test func `the eleventh attempt must wait until the window ends`() throws {
        try fail("ada", "192.0.2.1", times: 9)
        #expect(wait("ada", "192.0.2.1") == nil)
        try fail("ada", "192.0.2.1")
        #expect(wait("ada", "192.0.2.1") == "900")
        clock.advance(by: .milliseconds(600_500))
        #expect(wait("ada", "192.0.2.1") == "300")
        clock.advance(by: .seconds(300))
        #expect(wait("ada", "192.0.2.1") == nil)
    }

    @Test func `the window starts with the first failure and attempts while waiting do not prolong it`() throws {
        try fail("ada", "192.0.2.1")
        clock.advance(by: .seconds(800))
        try fail("ada", "192.0.2.1", times: 9)
        #expect(wait("ada", "192.0.2.1") == "100")
        #expect(throws: ServiceError.self) { try fail("ada", "192.0.2.1") }
        clock.advance(by: .seconds(100))
        #expect(wait("ada", "192.0.2.1") == nil)
    }

    @Test func `a success forgets the failures of that name at that address`() throws {
        try fail("ada", "192.0.2.1", times: 9)
        try throttle.settle(username: "ada", peer: "192.0.2.1", succeeded: true)
        try fail("ada", "192.0.2.1", times: 9)
        #expect(wait("ada", "192.0.2.1") == nil)
    }

    @Test func `the victim logs in from another address, and other users from the attacker's address`() throws {
        try fail("ada", "192.0.2.1", times: 10)
        #expect(wait("ada", "198.51.100.7") == nil)
        #expect(wait("bob", "192.0.2.1") == nil)
    }

    @Test func `a correct guess above the limit is refused like a wrong one`() throws {
        try fail("ada", "192.0.2.1", times: 10)
        #expect(throws: ServiceError.self) {
            try throttle.settle(username: "ada", peer: "192.0.2.1", succeeded: true)
        }
    }

    @Test func `a thousand simultaneous guesses learn ten results`() async {
        let learnt = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask { [throttle] in
                    do {
                        try throttle.check(username: "ada", peer: "192.0.2.1")
                        await Task.yield()
                        try throttle.settle(username: "ada", peer: "192.0.2.1", succeeded: false)
                        return 1
                    } catch { return 0 }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(learnt == 10)
    }

    @Test func `one address may fail a hundred times over all names`() throws {
        for number in 0..<100 { try fail("user\(number)", "192.0.2.1") }
        #expect(wait("another", "192.0.2.1") == "900")
        #expect(wait("another", "192.0.2.2") == nil)
    }

    @Test func `a login to the attacker's own account does not reset the count of the address`() throws {
        for number in 0..<100 {
            try fail("user\(number)", "192.0.2.1")
            if number < 99 { try throttle.settle(username: "mallory", peer: "192.0.2.1", succeeded: true) }
        }
        #expect(wait("another", "192.0.2.1") == "900")
    }

    @Test func `during an attack from many addresses a new address has three guesses and the victim can log in`() throws
    {
        for number in 0..<100 { try fail("ada", "192.0.2.\(number)") }
        #expect(wait("ada", "198.51.100.7") == nil)
        try fail("ada", "198.51.100.7", times: 2)
        #expect(wait("ada", "198.51.100.7") == nil)
        try fail("ada", "198.51.100.7")
        #expect(wait("ada", "198.51.100.7") == "900")
        #expect(wait("ada", "198.51.100.8") == nil)
    }

    @Test func `a whole IPv6 network counts as one address`() throws {
        for number in 0..<10 { try fail("ada", "2001:db8:1:2::\(number)") }
        #expect(wait("ada", "2001:db8:1:2:ffff::1") == "900")
        #expect(wait("ada", "2001:db8:1:3::1") == nil)
    }

    @Test func `logins of a name from one address have a rate, also correct ones`() throws {
        for _ in 0..<60 {
            try throttle.check(username: "ada", peer: "192.0.2.1")
            try throttle.settle(username: "ada", peer: "192.0.2.1", succeeded: true)
        }
        #expect(wait("ada", "192.0.2.1") == "1")
        clock.advance(by: .milliseconds(250))
        #expect(wait("ada", "192.0.2.1") == nil)
        #expect(wait("ada", "192.0.2.1") == "1")
    }

    @Test func `the rate of a name at one address limits neither the name elsewhere nor other names there`() throws {
        for _ in 0..<100 { _ = wait("ada", "192.0.2.1") }
        #expect(wait("ada", "192.0.2.1") == "1")
        #expect(wait("ada", "198.51.100.7") == nil)
        #expect(wait("bob", "192.0.2.1") == nil)
    }

    @Test func `a count in use survives a flood of names, and the table is bounded`() {
        var table = FailureTable(window: .seconds(900), capacity: 100)
        for _ in 0..<10 { table.add(-1, at: .zero) }
        for key in 0..<10_000 {
            table.add(key, at: .zero)
            if key % 20 == 0 { #expect(table.failures(-1, at: .zero).count == 10) }
            #expect(table.count <= 100)
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
