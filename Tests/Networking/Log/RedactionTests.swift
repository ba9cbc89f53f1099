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
        (#"{"password":"CANARY","code":"busy"}"#, #"{"password":"<redacted>","code":"busy"}"#),
        (#"{"a":{"access_token" : "CANARY"}}"#, #"{"a":{"access_token" : "<redacted>"}}"#),
        (#"{"token":"with \"CANARY\" inside","b":1}"#, #"{"token":"<redacted>","b":1}"#),
        (#"{"key":12345,"b":1}"#, #"{"key":"<redacted>","b":1}"#),
        (#"{"tokens":["CANARY",{"x":"CANARY]"}],"b":1}"#, #"{"tokens":"<redacted>","b":1}"#),
        (#"{"secret":null}"#, #"{"secret":"<redacted>"}"#),
        (#"{"pass\u0077ord":"CANARY"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
        (#"[{"Password":"CANARY"}]"#, #"[{"Password":"<redacted>"}]"#),
        (#"{"code":"token","title":"password"}"#, #"{"code":"token","title":"password"}"#),
        (#"{"password":"CANARY cut o"#, #"{"password":"<redacted>""#),
        (#"{"password":{"x":["CANARY"#, #"{"password":"<redacted>""#),
        (#"{"password":"#, #"{"password":"#), (#"{"passw"#, #"{"<redacted>""#), ("", ""),
        ("\"", "\"<redacted>\""), ("\"\\", "\"<redacted>\""),
    ])
    func `masks fields of JSON, also when it is cut off`(text: String, expected: String) {
        #expect(redaction.json(text) == expected)
    }

    @Test(arguments: [
        (#"{"detail":"your key CANARY","code":"busy"}"#, #"{"detail":"<redacted>","code":"busy"}"#),
        (#"{"n":12,"x":-1.5e3,"t":true,"u":null}"#, #"{"n":12,"x":-1.5e3,"t":true,"u":null}"#),
        (#"{"errors":[{"field":"a","message":"CANARY"}]}"#, #"{"errors":[{"field":"a","message":"<redacted>"}]}"#),
        (#"["CANARY","CANARY"]"#, #"["<redacted>","<redacted>"]"#), (#""CANARY""#, #""<redacted>""#),
        (#"{"code":["CANARY"]}"#, #"{"code":["<redacted>"]}"#),
        (#"{"code":{"x":"CANARY"},"b":[1]}"#, #"{"code":{"x":"<redacted>"},"b":[1]}"#),
        (#"{ "title" : "Busy" , "y" : "CANARY" }"#, #"{ "title" : "Busy" , "y" : "<redacted>" }"#),
        ("your key CANARY", #""<redacted>" "<redacted>" "<redacted>""#), (#"{"a": CANARY}"#, #"{"a": "<redacted>"}"#),
    ])
    func `shows of the texts in JSON only those of known words`(text: String, expected: String) {
        #expect(redaction.json(text) == expected)
    }

    @Test(arguments: [
        (
            "http://h/x?day=1&access_token=CANARY#id_token=CANARY",
            "http://h/x?day=1&access_token=<redacted>#id_token=<redacted>"
        ),
        ("http://h/users/@me", "http://h/users/@me"), ("http://h:99999/x", "http://h:99999/x"),
        ("http://u:CANARY@h/x?sig=CANARY", "http://<redacted>@h/x?sig=<redacted>"), ("u:CANARY@h", "<redacted>@h"),
    ])
    func `shows a URL without its secrets`(url: String, expected: String) { #expect(redaction.url(url) == expected) }

    /// Ways to write a password into a URL, legal and not; each has it before an `@` or under a sensitive name.
    static let planted: [String] = {
        let schemes = ["http://", "HTTPS://", "http:/", "http:", "http//", "//", "", "ftp://", "://", " http://"]
        let users = [
            "u:CANARY@", "CANARY@", ":CANARY@", "u:CANARY%40", "u:CAN/CANARY@", "u:C?CANARY@", "u:C#CANARY@",
            "u:CANARY@x@", "u CANARY@", "u:\u{E9}CANARY@", "u:CANARY\n@", "[u:CANARY@", "u:CANARY\\@",
        ]
        let places = [
            "h", "h:1", "h:99999999", "h:x/", "[::1", "h/p?access_token=CANARY", "h/p#token=CANARY", "", "h/@me",
        ]
        return schemes.flatMap { scheme in users.flatMap { user in places.map { scheme + user + $0 } } }
    }()

    @Test func `no way to write a URL makes its password show`() {
        for url in Self.planted {
            #expect(!redaction.url(url).contains("CANARY"), "\(url)")
            do { _ = try HTTPURL(url) } catch { #expect(!error.description.contains("CANARY"), "\(url): \(error)") }
        }
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

    @Test func `a preview shows JSON and forms up to a limit, and the size of other bodies`() {
        let long = Data(#"{"title":"\#(String(repeating: "x", count: 5000))"}"#.utf8)
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
        (
            "Link", "</x?page=2&access_token=CANARY>; rel=\"next\", <https://a:CANARY@h/?key=CANARY>; rel=last",
            "</x?page=2&access_token=<redacted>>; rel=\"next\", <https://<redacted>@h/?key=<redacted>>; rel=last"
        ),
        ("Link", "token", "token"), ("link", "</x?sig=CANARY", "</x?sig=<redacted>"),
        ("Accept", "?key=1", "?key=1"),
    ])
    func `masks queries and fragments of fields that hold a URL`(name: String, value: String, expected: String) {
        #expect(redaction.headers([name: value])[name] == expected)
    }

    @Test func `an application adds its own names`() {
        #expect(Redaction(alsoRedacting: ["Tide-Code"]).isSensitive("tide_code"))
    }
}
