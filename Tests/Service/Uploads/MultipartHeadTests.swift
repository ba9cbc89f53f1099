import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

@Suite struct MultipartHeadTests {
    @Test(arguments: [
        (#""plain.txt""#, "plain.txt"), ("token.txt", "token.txt"), (#""""#, ""),
        (#""a%22b.txt""#, #"a"b.txt"#), (#""a\"b.txt""#, #"a"b.txt"#), (#""a\\b.txt""#, #"a\b.txt"#),
        (#""C:\logs\x.txt""#, #"C:\logs\x.txt"#), (#""a%0D%0Ab""#, "a\r\nb"), (#""a%0d%0ab""#, "a\r\nb"),
        (#""100%.txt""#, "100%.txt"), (#""a%41%2""#, "a%41%2"),
        (#""Gezeiten-Übersicht 潮.txt""#, "Gezeiten-Übersicht 潮.txt"),
        (#""a;b=c.txt""#, "a;b=c.txt"), (#""../../etc/passwd""#, "../../etc/passwd"), (#"" spaced ""#, " spaced "),
    ])
    func `a file name reads as its sender meant it`(_ written: String, _ meant: String) throws {
        let head = try MultipartHead("Content-Disposition: form-data; name=\"file\"; filename=\(written)\r\n")
        #expect(head.name == "file" && head.fileName == meant)
    }

    @Test(arguments: [
        (#"FORM-DATA ; Name=a"#, "a"), (#"form-data;name="a%22""#, "a\""), (#"form-data; x=1; name=a; y="2";"#, "a"),
        (#"form-data; name="""#, ""),
    ])
    func `a field has its name in every way of writing it`(_ written: String, _ name: String) throws {
        let head = try MultipartHead("Content-Disposition: \(written)\r\n")
        #expect(head.name == name && head.fileName == nil)
    }

    @Test(arguments: [
        "multipart/form-data; boundary=tide", "Multipart/Form-Data;BOUNDARY=\"tide\"",
        "multipart/form-data; charset=utf-8; boundary=\"ti\\de\"",
    ])
    func `the boundary is a parameter of the media type`(_ field: String) throws {
        #expect(try MultipartBoundary(contentType: [field]).text == "tide")
    }

    @Test(arguments: [
        ["multipart/form-data"], ["multipart/form-data; boundary="], ["multipart/form-data; boundary=\"\""],
        ["multipart/form-data; boundary=\"a "], ["multipart/form-data; boundary=\"a \""],
        ["multipart/form-data; boundary=a; boundary=b"], ["multipart/form-data; boundary=\"a\u{1}\""],
        ["multipart/form-data; boundary=\"ä\""], ["multipart/form-data; boundary=\"a*\""],
        ["multipart/form-data; boundary=" + String(repeating: "a", count: 71)],
    ])
    func `an invalid boundary is 400`(_ fields: [String]) throws {
        let error = try #require(throws: ServiceError.self) { try MultipartBoundary(contentType: fields) }
        #expect(error.problem.status == 400 && error.problem.errors?.map(\.field) == ["boundary"])
    }

    @Test(arguments: [
        [], ["application/json"], ["multipart/mixed; boundary=a"], ["multipart/form-data; boundary=a", "a/b"],
    ])
    func `another media type is 415`(_ fields: [String]) throws {
        let error = try #require(throws: ServiceError.self) { try MultipartBoundary(contentType: fields) }
        #expect(error.problem.status == 415 && error.headers["Accept"] == "multipart/form-data")
    }
}
