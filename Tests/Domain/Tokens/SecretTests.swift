import FoundationEssentials
import StrataDomain
import Testing

struct SecretTests {
    private struct Holder {
        let secret = Secret("CANARY")
        let maybe: Secret? = Secret("CANARY")
        let list = [Secret("CANARY")]
        let table = ["k": Secret("CANARY")]
        let pair = (Secret("CANARY"), 1)
        let tokens = SessionTokens(
            access: Secret("CANARY"), refresh: Secret("CANARY"), expiresAt: Date(timeIntervalSince1970: 0))
    }

    @Test func `a printed secret is masked, alone and inside other values`() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        dump(holder.secret, to: &dumped)
        let texts = [
            "\(holder.secret)", String(describing: holder.secret), String(reflecting: holder.secret), "\(holder)",
            String(reflecting: holder), "\(holder.list) \(holder.table) \(holder.pair)",
            String(describing: holder.maybe),
            String(reflecting: holder.maybe), "\(holder.tokens)", dumped,
            "\(Mirror(reflecting: holder.secret).children.map { "\($0)" })", "\(Set(holder.list))",
        ]
        for text in texts { #expect(!text.contains("CANARY")) }
        #expect("\(holder.secret)" == "<secret>")
    }

    @Test func `only reveal returns the text of a secret`() {
        #expect(Secret("CANARY").reveal() == "CANARY")
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
    }

    /// So the compiler refuses to derive `Encodable` for a type with a secret.
    @Test func `secrets and session tokens are not Codable`() {
        let values: [Any] = [Secret("x"), SessionTokens.canary, [Secret("x")], Secret("x") as Secret? as Any]
        for value in values.prefix(2) {
            #expect(!(value is any Encodable) && !(value is any Decodable))
            #expect(!(value is any LosslessStringConvertible) && !(value is any RawRepresentable))
        }
        for value in values.dropFirst(2) { #expect(throws: (any Error).self) { try encoded(value) } }
    }

    @Test func `a secret is masked in every text that Swift derives from a value`() {
        let tokens = SessionTokens.canary
        let optional: Secret? = Secret("CANARY")
        let nested: [String: [Secret?]] = ["k": [optional, nil]]
        enum Case { case held(Secret, named: SessionTokens) }
        struct Failure: Error { let secret = Secret("CANARY") }
        let failure: any Error = Failure()
        var streamed = ""
        print(tokens, optional as Any, nested, failure, separator: "|", to: &streamed)
        debugPrint(tokens, optional as Any, nested, failure, separator: "|", to: &streamed)
        dump(nested, to: &streamed)
        dump(Case.held(Secret("CANARY"), named: tokens), to: &streamed)
        let texts = [
            streamed, "\(tokens)", "\(Case.held(Secret("CANARY"), named: tokens))", "\(failure)",
            String(reflecting: failure), "\(type(of: optional)) \(optional.debugDescription)",
            "\(Result<Secret, Failure>.success(Secret("CANARY")))", "\(Result<Int, Failure>.failure(Failure()))",
        ]
        for text in texts { #expect(!text.contains("CANARY")) }
    }

    @Test func `reflection does not show a secret`() {
        for value in [Secret("CANARY") as Any, SessionTokens.canary, [Secret("CANARY")], (1, Secret("CANARY"))] {
            #expect(!everything(in: value).contains { $0.contains("CANARY") })
        }
        #expect(Mirror(reflecting: Secret("CANARY")).children.isEmpty)
        #expect(Mirror(reflecting: Secret("CANARY")).superclassMirror == nil)
    }

    /// Every text that reflection finds, at any depth.
    private func everything(in value: Any) -> [String] {
        let mirror = Mirror(reflecting: value)
        return ["\(value)", String(reflecting: value), "\(mirror)"]
            + mirror.children.flatMap { [$0.label ?? ""] + everything(in: $0.value) }
    }

    private struct NotEncodable: Error {}

    private func encoded(_ value: Any) throws -> Data {
        guard let value = value as? any Encodable else { throw NotEncodable() }
        return try WireJSON.encode(value)
    }
}

extension SessionTokens {
    fileprivate static let canary = SessionTokens(
        access: Secret("CANARY"), refresh: Secret("CANARY"), expiresAt: Date(timeIntervalSince1970: 0))
}
