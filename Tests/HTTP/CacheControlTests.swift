import StrataHTTP
import Testing

struct CacheControlTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60), ("max-age=0", 0),
        ("foo, max-age=60", 60), (" max-age=60 ,", 60), ("max-age=60, max-age=1", 60), ("max-age=1,max-age=60", 1),
        ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", 1 << 31), ("max-age=99999999999", 1 << 31),
        ("max-age=999999999999999999999999999999999999", 1 << 31), (",,,max-age=60", 60),
        ("extension=\"max-age=3600\", max-age=1", 1), ("max-age=1, extension=\"max-age=3600\"", 1),
        ("extension=\"a\\\",max-age=3600\", max-age=1", 1), ("extension=\"never ends, max-age=1", 1),
    ])
    func `a number of seconds is read with any text around it`(line: String, seconds: Int) {
        #expect(CacheControl([line]).seconds("max-age") == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=6o", "max-age='60'", "max-age =60", "max-age= 60",
        "max-age=\"\"", "max-age=\"60", "max-age=+60", "max-age=0x10", "max-age=６０", "max-age=60;foo=bar",
        "max-age=60 s",
    ])
    func `a directive with an unreadable number exists and has no number`(line: String) {
        let control = CacheControl([line])
        #expect(control.has("max-age"))
        #expect(control.seconds("max-age") == nil)
    }

    @Test(arguments: ["", " ", ",", "=", "=60", "\"", "\"\"", ";;;", "max_age=60", "\u{0}", "🌊=1", "\\"])
    func `malformed text has no directive`(line: String) {
        let control = CacheControl([line])
        for name in ["max-age", "no-store", "no-cache", "private"] { #expect(!control.has(name)) }
    }

    @Test(arguments: [
        "no-store", "No-StOrE", "no-store=foo", "no-store=\"\"", "max-age=60, no-store", "no-cache=\"a, no-store",
        "max-age=\"60, no-store",
    ])
    func `no-store is found in a broken list`(line: String) { #expect(CacheControl([line]).has("no-store")) }

    @Test func `a directive inside a quoted value does not count`() {
        #expect(!CacheControl(["ext=\"no-store\""]).has("no-store"))
        #expect(!CacheControl(["ext=\"a, no-store, b\""]).has("no-store"))
    }

    @Test(arguments: [
        ("no-cache=\"a\"", ["a"], false), ("no-cache=\"a, b\"", ["a", "b"], false), ("no-cache=a", ["a"], false),
        ("no-cache=\" a ,b \"", ["a", "b"], false), ("no-cache", [], true), ("no-cache=\"\"", [], true),
        ("no-cache=\",\"", [], true), ("no-cache=\"a\", no-cache", ["a"], true), ("no-cache=\"not a name\"", [], true),
        ("private=\"a\"", [], false),
    ])
    func `no-cache applies to the whole message, or to the fields it names`(
        line: String, names: [String], isForAll: Bool
    ) {
        let control = CacheControl([line])
        #expect(control.fieldNames(of: "no-cache") == names)
        #expect(control.appliesToAll("no-cache") == isForAll)
    }

    @Test func `several lines are one list`() {
        let control = CacheControl(["s-maxage=3600", "max-age=1"])
        #expect(control.seconds("s-maxage") == 3600)
        #expect(control.seconds("max-age") == 1)
    }

    @Test func `a very long list is read in one pass`() {
        let long = String(repeating: "a=\"", count: 20_000) + ", max-age=7"
        #expect(CacheControl([long]).directives.count <= 20_001)
    }
}
