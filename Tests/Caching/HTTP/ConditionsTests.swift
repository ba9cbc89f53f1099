import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct ConditionsTests {
    @Test(arguments: [
        ("\"a\"", "\"b\", \"a\"", true), ("W/\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", "*", true),
        ("a", "\"a\"", true), ("w/\"a\"", "W/\"a\"", true), ("\"a\"", "", false),
    ])
    func `If-None-Match compares tags weakly`(stored: String, asked: String, isSame: Bool) {
        let response = StoredResponse.sample([("ETag", stored)])
        #expect(Conditions.isNotModified(["If-None-Match": asked], response) == isSame)
    }

    @Test func `If-None-Match is judged before If-Modified-Since`() {
        let response = StoredResponse.sample([("ETag", "\"a\""), ("Last-Modified", HTTPDate.string(from: clockStart))])
        let early = HTTPDate.string(from: clockStart.addingTimeInterval(-60))
        let late = HTTPDate.string(from: clockStart)
        #expect(Conditions.isNotModified(["If-None-Match": "\"a\"", "If-Modified-Since": early], response))
        #expect(!Conditions.isNotModified(["If-None-Match": "\"b\"", "If-Modified-Since": late], response))
        #expect(Conditions.isNotModified(["If-Modified-Since": late], response))
        #expect(!Conditions.isNotModified(["If-Modified-Since": early], response))
    }

    @Test(arguments: [
        ("Sat, 21 Nov 2026 08:00:00 GMT", true), ("Saturday, 21-Nov-26 08:00:00 GMT", true),
        ("Sat Nov 21 08:00:00 2026", true),
        ("Sat, 21 Nov 2026 08:30:00 GMT", true), ("Sat, 21 Nov 2026 07:59:59 GMT", false), ("yesterday", false),
        ("", false),
    ])
    func `If-Modified-Since is read in every form`(asked: String, isSame: Bool) {
        let response = StoredResponse.sample([("Last-Modified", "Sat, 21 Nov 2026 08:00:00 GMT")])
        #expect(Conditions.isNotModified(["If-Modified-Since": asked], response) == isSame)
    }

    @Test func `only a success can be unmodified`() {
        let response = StoredResponse.sample([("ETag", "\"a\"")], status: 404)
        #expect(!Conditions.isNotModified(["If-None-Match": "\"a\""], response))
        #expect(!Conditions.isNotModified([:], .sample([("ETag", "\"a\"")])))
    }

    @Test func `a tag without quotes gets them when it is sent`() {
        #expect(Conditions.validating(.sample([("ETag", "a")])) == ["If-None-Match": "\"a\""])
        #expect(Conditions.validating(.sample([("ETag", "W/\"a\"")])) == ["If-None-Match": "W/\"a\""])
    }
}
