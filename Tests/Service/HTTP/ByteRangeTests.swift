import Foundation
import StrataDomain
import Testing

@testable import StrataService

@Suite struct FileFieldTests {
    @Test func `If-Range allows a range of the same state only`() {
        let tag = EntityTag("a")
        #expect(tag.allowsRange([]) && tag.allowsRange(["\"a\""]))
        for fields in [["W/\"a\""], ["\"b\""], ["Sat, 21 Nov 2026 05:00:00 GMT"], ["\"a\"", "\"a\""], ["a"], [""]] {
            #expect(!tag.allowsRange(fields))
        }
    }
}
