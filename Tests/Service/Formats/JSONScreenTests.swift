import Foundation
import Testing

@testable import StrataService

@Suite struct JSONScreenTests {
    @Test(arguments: [
        (#"{"a":"\u0000"}"#, JSONScreen.Flaw.nul), (#"{"\u0000":1}"#, .nul), (#""\ud800""#, .loneSurrogate),
        (#""\ud800\ud800""#, .loneSurrogate), (#""\uDFFF""#, .loneSurrogate), (#""\ud83cx""#, .loneSurrogate),
        (#""\ud83c\n""#, .loneSurrogate),
    ])
    func `what no text may hold is found`(_ json: String, _ flaw: JSONScreen.Flaw) {
        #expect(JSONScreen.flaw(in: Data(json.utf8)) == flaw)
    }

    @Test(arguments: [
        #"{"a":"\\u0000"}"#, #""\\\\u0000""#, #""\ud83c\udf0a""#, #""[[[[""#, "\"\\", "\"", "\\u0000", "",
        #""\u00""#, #"["\"","[","\\"]"#,
    ])
    func `what only looks like it is let through`(_ json: String) {
        #expect(JSONScreen.flaw(in: Data(json.utf8)) == nil)
    }

    @Test func `depth counts brackets outside of strings`() {
        let deep = String(repeating: "[", count: 64)
        #expect(JSONScreen.flaw(in: Data(deep.utf8)) == nil)
        #expect(JSONScreen.flaw(in: Data((deep + "{").utf8)) == .tooDeep)
        #expect(JSONScreen.flaw(in: Data(("\"" + deep + deep + "\"").utf8)) == nil)
        let flat = String(repeating: "[],", count: 1000)
        #expect(JSONScreen.flaw(in: Data(("[" + flat + "1]").utf8)) == nil)
    }

    @Test func `a slice of a larger buffer is read from its own start`() {
        let bytes = Data("xx\"\\u0000\"".utf8)
        #expect(JSONScreen.flaw(in: bytes.dropFirst(2)) == .nul)
    }
}
