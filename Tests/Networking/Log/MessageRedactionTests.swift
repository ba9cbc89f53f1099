import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Redaction of messages that must still be readable as before.
struct MessageRedactionTests {
    private let redaction = MessageRedaction(.standard)

    private func body(_ text: String, _ type: String? = MediaType.json) -> String {
        String(decoding: redaction.body(Data(text.utf8), contentType: type), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"token":"CANARY","name":"ada"}"#, #"{"token":"<redacted>","name":"ada"}"#),
        (#"{"total_tokens":57,"ok":true}"#, #"{"total_tokens":0,"ok":true}"#),
        (
            #"{"token":{"id":1,"text":"CANARY","live":true,"no":null},"n":2}"#,
            #"{"token":{"id":0,"text":"<redacted>","live":true,"no":null},"n":2}"#
        ),
        (#"{"tokens":["CANARY",{"a":"CANARY"}],"n":"c"}"#, #"{"tokens":["<redacted>",{"a":"<redacted>"}],"n":"c"}"#),
        (#"[{"password":"CANARY"},"y"]"#, #"[{"password":"<redacted>"},"y"]"#),
        (#"{"pass\u0077ord":"CANARY","b":"c"}"#, #"{"pass\u0077ord":"<redacted>","b":"c"}"#),
        (#"{"token_type":"bearer","token_endpoint":"x"}"#, #"{"token_type":"bearer","token_endpoint":"x"}"#),
        (#"{"token_expires_at":9,"refreshTokenExpiresIn":8}"#, #"{"token_expires_at":9,"refreshTokenExpiresIn":8}"#),
        (#"{"password":"CANARY cut o"#, #"{"password":"<redacted>""#), (#"{"password":"#, #"{"password":"#),
        ("{\"token\" : \"CANARY\"}\n{\"a\":\"b\"}\n", "{\"token\" : \"<redacted>\"}\n{\"a\":\"b\"}\n"),
        (#"{"next":"https://a.test/c?page=2&token=CANARY"}"#, #"{"next":"https://a.test/c?page=2&token=redacted"}"#),
        (#"{"u":"https:\/\/a.test\/c?token=CANARY"}"#, #"{"u":"https://a.test\/c?token=redacted"}"#),
        (#"{"t":"a\"b\\","n":-1.5e3}"#, #"{"t":"a\"b\\","n":-1.5e3}"#), ("", ""), ("{", "{"), ("]}", "]}"),
        ("\"", "\""),
    ])
    func `JSON keeps its form and its other values`(text: String, expected: String) {
        #expect(body(text) == expected)
        // A document that says nothing of its type is read as what it is; one that was redacted stays.
        if text.hasPrefix("{") { #expect(body(text, nil) == expected) }
        #expect(body(expected) == expected)
    }

    @Test func `events, forms and parts of forms are read as what they are`() {
        #expect(body("data: {\"token\":\"CANARY\"}\n\n", "text/event-stream") == "data: {\"token\":\"<redacted>\"}\n\n")
        #expect(body("user=ada@b.c&password=CANARY", MediaType.form) == "user=ada@b.c&password=redacted")
        let form = { (secret: String) in
            "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n"
                + "--x\r\nContent-Disposition: form-data; name=\"note\"; filename=\"n.txt\"\r\n\r\nhello\r\n--x--\r\n"
        }
        #expect(body(form("CANARY"), "multipart/form-data; boundary=x") == form("<redacted>"))
    }

    @Test func `bytes that are no text stay, but for the secrets in them`() throws {
        let deadline = Deadline(in: .seconds(1), on: MonotonicTime(ManualClock()))
        let request = ClientRequest(
            .get, try HTTPURL("http://tides.test"), headers: ["Authorization": "Bearer CANARY-1"],
            context: CallContext(requestId: "1", summary: "", deadline: deadline))
        let bytes = Data([0xFF, 0x00]) + Data("CANARY-1".utf8) + Data([0xE9, 0x0D, 0x0A])
        let redacted = MessageRedaction(.standard, request).body(bytes, contentType: "image/png")
        #expect(redacted == Data([0xFF, 0x00]) + Data("<redacted>".utf8) + Data([0xE9, 0x0D, 0x0A]))
    }

    @Test(arguments: [
        ("Authorization", "Bearer CANARY", "<redacted>"), ("Set-Cookie", "a=CANARY", "<redacted>"),
        ("X-Session-Id", "CANARY", "<redacted>"), ("Accept", "text/html", "text/html"),
        ("WWW-Authenticate", "Bearer error=\"invalid_token\"", "Bearer error=\"invalid_token\""),
        ("Location", "/users/@ada?token=CANARY&a=1", "/users/@ada?token=redacted&a=1"),
        ("Location", "https://u:CANARY@a.b/c", "https://redacted@a.b/c"),
        (
            "Link", "<https://a.test/c?page_token=CANARY>; rel=\"next\", </d?key=CANARY>; rel=\"last\"",
            "<https://a.test/c?page_token=redacted>; rel=\"next\", </d?key=redacted>; rel=\"last\""
        ),
        ("X-Note", "see ftp://a https://a.test?token=CANARY, now", "see ftp://a https://a.test?token=redacted now"),
    ])
    func `fields keep what is no secret`(name: String, value: String, expected: String) {
        #expect(redaction.fields([name: value])[name] == expected)
    }
}
