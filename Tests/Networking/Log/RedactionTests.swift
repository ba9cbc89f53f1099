import FoundationEssentials
import StrataDomain
import StrataNetworking
import Testing

struct RedactionTests {
    private let redaction = Redaction.standard

    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-API-Key", "x_api_key",
        "password", "access_token", "refreshToken", "token", "client_secret", "key", "X-Amz-Signature", "PASSWORD",
    ])
    func `knows the names of secrets`(name: String) { #expect(redaction.isSensitive(name)) }

    @Test(arguments: ["Accept", "name", "keyboard", "monkey", "code", "author", "status", "passed", "Idempotency-Key"])
    func `leaves other names alone`(name: String) { #expect(!redaction.isSensitive(name)) }

    @Test(arguments: [
        (#"{"password":"CANARY","name":"ann"}"#, #"{"password":"<redacted>","name":"ann"}"#),
        (#"{"a":{"access_token" : "CANARY"}}"#, #"{"a":{"access_token" : "<redacted>"}}"#),
        (#"{"token":"with \"CANARY\" inside","b":1}"#, #"{"token":"<redacted>","b":1}"#),
        (#"{"key":12345,"b":1}"#, #"{"key":"<redacted>","b":1}"#),
        (#"{"tokens":["CANARY",{"x":"CANARY]"}],"b":1}"#, #"{"tokens":"<redacted>","b":1}"#),
        (#"{"secret":null}"#, #"{"secret":"<redacted>"}"#),
        (#"{"pass\u0077ord":"CANARY"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
        (#"[{"Password":"CANARY"}]"#, #"[{"Password":"<redacted>"}]"#),
        (#"{"name":"token","b":"password"}"#, #"{"name":"token","b":"password"}"#),
        (#"{"password":"CANARY cut o"#, #"{"password":"<redacted>""#),
        (#"{"password":{"x":["CANARY"#, #"{"password":"<redacted>""#),
        (#"{"password":"#, #"{"password":"#), (#"{"passw"#, #"{"passw"#), ("", ""), ("\"", "\""), ("\"\\", "\"\\"),
    ])
    func `masks fields of JSON, also when it is cut off`(text: String, expected: String) {
        #expect(redaction.json(text) == expected)
    }

    @Test(arguments: 0...80)
    func `no cut through a document shows a secret`(length: Int) {
        let text = #"{"user":"ann","password":"CANARY-1","nested":{"refresh_token":"CANARY-2"},"n":1}"#
        #expect(!redaction.json(String(text.prefix(length))).contains("CANARY"))
    }

    @Test(arguments: [
        ("day=1&key=CANARY&x=2", "day=1&key=<redacted>&x=2"), ("access%5Ftoken=CANARY", "access%5Ftoken=<redacted>"),
        ("%zz=CANARY", "%zz=<redacted>"), ("token", "token=<redacted>"), ("a=b=c", "a=b=c"), ("", ""),
    ])
    func `masks values of a query`(query: String, expected: String) { #expect(redaction.query(query) == expected) }

    @Test(arguments: [
        ("see http://ann:CANARY@host/x and https://b@c", "see http://<redacted>@host/x and https://<redacted>@c"),
        ("http://host/a@b", "http://host/a@b"), ("http://a:p@ss@host", "http://<redacted>@host"), ("://", "://"),
        ("no url", "no url"),
    ])
    func `masks user information in URLs`(text: String, expected: String) { #expect(redaction.text(text) == expected) }

    @Test func `shows a bounded preview of what it understands, and sizes of the rest`() {
        let long = Data(#"{"name":"\#(String(repeating: "x", count: 5000))"}"#.utf8)
        let preview = redaction.preview(long, contentType: "application/json")
        #expect(preview.count == 1025)
        #expect(preview.hasSuffix("…"))
        #expect(redaction.preview(Data("CANARY".utf8), contentType: "text/plain") == "<6 bytes of text/plain>")
        #expect(redaction.preview(Data([0xFF, 0xFE]), contentType: nil) == "<2 bytes of unknown type>")
        #expect(
            redaction.preview(Data("user=ann&password=CANARY".utf8), contentType: "application/x-www-form-urlencoded")
                == "user=ann&password=<redacted>")
    }

    @Test(arguments: [
        (
            "Location", "/cb?state=1&access_token=CANARY#id_token=CANARY",
            "/cb?state=1&access_token=<redacted>#id_token=<redacted>"
        ),
        ("location", "https://a:CANARY@h/x?key=CANARY", "https://<redacted>@h/x?key=<redacted>"),
        ("Referer", "http://h/?a=1#top", "http://h/?a=1#top"), ("Content-Location", "/x", "/x"),
        ("Accept", "?key=1", "?key=1"),
    ])
    func `masks queries and fragments of fields that hold a URL`(name: String, value: String, expected: String) {
        #expect(redaction.headers([name: value])[name] == expected)
    }

    @Test func `an application adds its own names`() {
        #expect(Redaction(alsoRedacting: ["Tide-Code"]).isSensitive("tide_code"))
    }
}
