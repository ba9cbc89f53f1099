import Foundation
import StrataDomain
import Testing

@testable import StrataService

struct ContentTagTests {
    @Test(arguments: [
        (#"{"items":[],"next_cursor":null}"#, "7616c3c9b92e4aa8"), ("", "ecce3ef6f19e4efc"),
    ])
    func `the tag of the same bytes is the same in every version, so that replicas of two releases agree`(
        text: String, tag: String
    ) {
        #expect(EntityTag(ofContent: Data(text.utf8)) == EntityTag(tag))
    }

    @Test func `a change of one bit and one of the length change the tag, at every place`() {
        let bytes = Data((0..<200).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) })
        var tags = Set((0...bytes.count).map { EntityTag(ofContent: bytes.prefix($0)) })
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << bit
                tags.insert(EntityTag(ofContent: changed))
            }
        }
        #expect(tags.count == 201 + 8 * 200)
    }

    @Test func `zeros at the end of the content are not those behind it`() {
        let tags = Set((0...70).map { EntityTag(ofContent: Data(repeating: 0, count: $0)) })
        #expect(tags.count == 71)
    }
}
