import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct WebhookSignatureTests {
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let body = Data(#"{"test": 2432232314}"#.utf8)
    private static let time = 1_614_265_330
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    /// The example of the libraries of Standard Webhooks.
    private func secret() throws -> WebhookSecret {
        try WebhookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    }

    private func fields(
        id: String = id, time: String = "\(time)", signature: String = signature
    ) -> HeaderFields {
        ["webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature]
    }

    private func verify(
        _ fields: HeaderFields, _ body: Data = body, secrets: [WebhookSecret]? = nil, after seconds: Double = 0
    ) throws -> String {
        try WebhookVerifier(secrets: secrets ?? [try secret()])
            .verify(fields, body: body, at: Date(timeIntervalSince1970: Double(Self.time) + seconds))
    }

    @Test func `the signature of the standard's example is made and accepted`() throws {
        let made = WebhookSignature.fields(id: Self.id, timestamp: Self.time, body: Self.body, [try secret()])
        #expect(made.map { $0.1 } == [Self.id, "\(Self.time)", Self.signature])
        #expect(made.map { $0.0 } == ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
        #expect(try verify(fields()) == Self.id)
    }

    @Test(arguments: [-300.0, 0, 300])
    func `a time within the tolerance is accepted`(_ seconds: Double) throws {
        #expect(try verify(fields(), after: seconds) == Self.id)
    }

    @Test(arguments: [-301.0, 301, 1e9])
    func `a time outside of the tolerance is stale, however good the signature is`(_ seconds: Double) {
        #expect(throws: WebhookRefusal.stale) { try verify(fields(), after: seconds) }
    }

    @Test func `a change of any part is a forgery`() throws {
        #expect(throws: WebhookRefusal.forged) { try verify(fields(id: "msg_other")) }
        #expect(throws: WebhookRefusal.forged) { try verify(fields(time: "\(Self.time + 1)")) }
        #expect(throws: WebhookRefusal.forged) { try verify(fields(), Self.body + Data(" ".utf8)) }
        #expect(throws: WebhookRefusal.forged) { try verify(fields(), Data()) }
        #expect(throws: WebhookRefusal.forged) { try verify(fields(), secrets: [.new()]) }
        #expect(throws: WebhookRefusal.forged) { try verify(fields(), secrets: []) }
        // The same number in other digits is another text.
        #expect(throws: WebhookRefusal.forged) { try verify(fields(time: "0\(Self.time)")) }
    }

    @Test(arguments: [
        "", "v1", "v1,", "v1,!!!!", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1O==",
        "V1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ])
    func `a signature in another form is refused`(_ signature: String) {
        #expect(throws: WebhookRefusal.forged) { try verify(fields(signature: signature)) }
    }

    @Test(arguments: ["webhook-id", "webhook-timestamp", "webhook-signature"])
    func `a missing field is named incomplete`(_ name: String) {
        var fields = fields()
        fields[name] = nil
        #expect(throws: WebhookRefusal.incomplete) { try verify(fields) }
    }

    @Test(arguments: ["", "x", "-1", "1614265330.5", " 1614265330", "99999999999999999999"])
    func `a time that is no number of seconds is refused`(_ time: String) {
        #expect(throws: WebhookRefusal.self) { try verify(fields(time: time)) }
    }

    @Test func `while a secret is changed, the old and the new one are accepted`() throws {
        let (old, new) = (try secret(), WebhookSecret.new())
        let made = WebhookSignature.fields(id: "m", timestamp: Self.time, body: Self.body, [new, old])
        let both = HeaderFields(made.map { HeaderFields.Field($0.0, $0.1) })
        for known in [[old], [new], [new, old]] { #expect(try verify(both, secrets: known) == "m") }
    }

    @Test(arguments: ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_***"])
    func `text in another form is no secret, and is not repeated`(_ text: String) {
        let error = #expect(throws: WebhookSecretError.self) { try WebhookSecret(Secret(text)) }
        #expect(text.isEmpty || text == "whsec_" || error?.description.contains(text) == false)
    }

    @Test func `a new secret has 32 bytes, is another each time, and is not printed`() throws {
        let (one, other) = (WebhookSecret.new(), WebhookSecret.new())
        #expect(one != other && one.key.count == 32)
        #expect(try WebhookSecret(one.text) == one)
        #expect(!"\(one)".contains(one.text.reveal().dropFirst(6)))
    }
}
