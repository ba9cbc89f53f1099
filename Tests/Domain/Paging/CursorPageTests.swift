import FoundationEssentials
import StrataDomain
import Testing

struct CursorPageTests {
    @Test func `the last page has a null cursor`() throws {
        let page = CursorPage(items: [1, 2], nextCursor: nil)
        #expect(String(decoding: try WireJSON.encode(page), as: UTF8.self) == #"{"items":[1,2],"next_cursor":null}"#)
        #expect(page.nextPageQuery == nil)
        #expect(try WireJSON.decode(CursorPage<Int>.self, from: Data(#"{"items":[]}"#.utf8)).nextCursor == nil)
    }

    @Test func `any other page has the query of the next one`() throws {
        let page = CursorPage(items: ["a"], nextCursor: "c+1")
        #expect(page.nextPageQuery == ["cursor": "c+1"])
        #expect(try WireJSON.decode(CursorPage<String>.self, from: WireJSON.encode(page)) == page)
    }
}
