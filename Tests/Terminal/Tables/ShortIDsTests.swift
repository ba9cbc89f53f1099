import StrataDomain
import Testing

@testable import StrataTerminal

struct ShortIDsTests {
    private let one = "019a9a3e-1f00-7000-8000-00000b77e01d"
    private let other = "019a9a3e-1f00-7000-8000-0000ab77e01d"

    @Test func `an id is shown by its last seven characters`() {
        #expect(ShortIDs([one]).text(one) == "b77e01d")
        #expect(ShortIDs([one, one]).text(one) == "b77e01d")
    }

    @Test func `ids with equal ends are longer until they differ`() {
        let short = ShortIDs([one, other])
        #expect(short.text(one) == "0b77e01d" && short.text(other) == "ab77e01d")
    }

    @Test(arguments: ["", "e1", "019A9A3E-1F00-7000-8000-00000B77E01D", "019a9a3e11f00-7000-8000-00000b77e01d", "x/y"])
    func `only UUIDs are shortened`(id: String) {
        #expect(ShortIDs([one, id]).text(id) == id)
    }

    private func completed(_ text: String, _ ids: [String]) async throws -> String {
        try await IDCompletion.completed(text) { _ in ids }
    }

    @Test func `a part completes to the only id that ends or begins with it`() async throws {
        #expect(try await completed("b77e01d", [one, "e1"]) == one)
        #expect(try await completed("019A9A3E", [one, "e1"]) == one)
        #expect(try await completed("8000-00000b77e01d", [one]) == one)
    }

    @Test(arguments: ["b77e01x", "nope", ""])
    func `a text that is no part of an id is unchanged, and no ids are read`(text: String) async throws {
        let result = try await IDCompletion.completed(text) { _ in
            Issue.record("asked")
            return []
        }
        #expect(result == text)
        #expect(try await IDCompletion.completed(one) { _ in throw DomainError.unexpected("asked") } == one)
    }

    @Test(arguments: ["1d", "01d", "01D"])
    func `a part of fewer than four characters is refused with their number`(part: String) async throws {
        let error = await #expect(throws: DomainError.self) { try await completed(part, [one, other]) }
        #expect(error == .validation("'\(part)' is too short for a part of an id. Give 4 characters at least."))
        #expect(try await completed("e1", ["e1", one]) == "e1")
        #expect(try await completed("fa3", [one]) == "fa3")
    }

    @Test func `a part that no id has is left as it is`() async throws {
        #expect(try await completed("dead", [one]) == "dead")
    }

    @Test func `an id that is also a part of another id is complete`() async throws {
        #expect(try await completed("e01d", [one, "e01d"]) == "e01d")
    }

    @Test func `a part of several ids names five of them`() async throws {
        let ids = (1...6).map { "019a9a3e-1f00-7000-8000-00000b77e01\($0)" }
        let error = await #expect(throws: DomainError.self) { try await completed("019a9a3e", ids) }
        #expect(
            error
                == .validation(
                    "'019a9a3e' is part of several ids: \(ids.prefix(5).joined(separator: ", ")), …. "
                        + "Give more of the one you mean."))
    }
}
