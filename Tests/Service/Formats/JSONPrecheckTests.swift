import Foundation
import Testing

@testable import StrataService

@Suite struct JSONPrecheckTests {
    @Test(arguments: [
        (#"{"a":"\u0000"}"#, JSONPrecheck.Violation.nul), (#"{"\u0000":1}"#, .nul), (#""\ud800""#, .loneSurrogate),
        (#""\ud800\ud800""#, .loneSurrogate), (#""\uDFFF""#, .loneSurrogate), (#""\ud83cx""#, .loneSurrogate),
        (#""\ud83c\n""#, .loneSurrogate),
    ])
    func `NUL, other encodings and unpaired surrogates are found`(_ json: String, _ flaw: JSONPrecheck.Violation) {
        #expect(JSONPrecheck.violation(in: Data(json.utf8)) == flaw)
    }

    @Test(arguments: [
        #"{"a":"\\u0000"}"#, #""\\\\u0000""#, #""\ud83c\udf0a""#, #""[[[[""#, "\"\\", "\"", "\\u0000", "",
        #""\u00""#, #"["\"","[","\\"]"#, #"{"a":",}","b":[",]"]}"#, "[1 , 2]",
    ])
    func `text that only resembles a violation passes`(_ json: String) {
        #expect(JSONPrecheck.violation(in: Data(json.utf8)) == nil)
    }

    @Test(arguments: ["[1,]", "{\"a\":1,}", "[[1, \t\r\n],2]", "[,]", "[\"a\",]", "{\"a\":{},}"])
    func `a comma before a closing bracket is found`(_ json: String) {
        #expect(JSONPrecheck.violation(in: Data(json.utf8)) == .trailingComma)
    }

    @Test func `depth counts brackets outside of strings`() {
        let deep = String(repeating: "[", count: 64)
        #expect(JSONPrecheck.violation(in: Data(deep.utf8)) == nil)
        #expect(JSONPrecheck.violation(in: Data((deep + "{").utf8)) == .tooDeep)
        #expect(JSONPrecheck.violation(in: Data(("\"" + deep + deep + "\"").utf8)) == nil)
        let flat = String(repeating: "[],", count: 1000)
        #expect(JSONPrecheck.violation(in: Data(("[" + flat + "1]").utf8)) == nil)
    }

    @Test func `a slice of a larger buffer is read from its own start`() {
        let bytes = Data("xx\"\\u0000\"".utf8)
        #expect(JSONPrecheck.violation(in: bytes.dropFirst(2)) == .nul)
    }
}
