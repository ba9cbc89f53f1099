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

    @Test func `shows nothing, however it is printed, inside whatever`() {
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

    @Test func `gives itself up only when asked by name`() {
        #expect(Secret("CANARY").reveal() == "CANARY")
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
    }

    @Test func `cannot be encoded by accident`() { #expect(!((Secret("x") as Any) is any Encodable)) }
}
