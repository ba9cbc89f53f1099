import Foundation
import NIOCore
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// A part as a test sees it.
struct ScannedPart: Sendable, Hashable {
    var name: String
    var fileName: String?
    var mediaType: String?
    var content: [UInt8]
}

/// Feeds `body` in the given pieces.
///
/// - Returns: The parts, and the most bytes the scanner kept between two pieces.
func scan(
    _ pieces: [[UInt8]], boundary: String = "tide", limits: MultipartLimits = MultipartLimits()
) throws -> (parts: [ScannedPart], kept: Int) {
    var scanner = MultipartScanner(try MultipartBoundary(boundary), limits: limits)
    var parts: [ScannedPart] = []
    var kept = 0
    var isOver = false
    func drain() throws {
        while let event = try scanner.next() {
            switch event {
            case .part(let head):
                parts.append(
                    ScannedPart(name: head.name, fileName: head.fileName, mediaType: head.mediaType, content: []))
            case .bytes(let bytes):
                #expect(bytes.readableBytes > 0)
                parts[parts.count - 1].content += Array(bytes.readableBytesView)
            case .endOfPart: break
            case .end: isOver = true
            }
        }
        kept = max(kept, scanner.kept)
    }
    for piece in pieces {
        scanner.feed(ByteBuffer(bytes: piece))
        try drain()
    }
    if try scanner.finish() { isOver = true }
    #expect(isOver)
    return (parts, kept)
}

func scan(_ text: String, boundary: String = "tide") throws -> [ScannedPart] {
    try scan([Array(text.utf8)], boundary: boundary).parts
}

private let disposition = "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\""

@Suite struct MultipartScannerTests {
    private static let form =
        "--tide\r\n\(disposition)\r\nContent-Type: Text/Plain; charset=utf-8\r\n\r\nhigh\r\n--tid\r\nwater\r\n--tide\r\n"
        + "content-disposition:form-data;name=note\r\n\r\n\r\n--tide--\r\n"
    private static let parts = [
        ScannedPart(
            name: "file", fileName: "a.txt", mediaType: "text/plain", content: Array("high\r\n--tid\r\nwater".utf8)),
        ScannedPart(name: "note", fileName: nil, mediaType: nil, content: []),
    ]

    @Test func `a form has its parts, wherever it is cut in two or three`() throws {
        let bytes = Array(Self.form.utf8)
        for first in 0...bytes.count {
            #expect(try scan([Array(bytes[..<first]), Array(bytes[first...])]).parts == Self.parts)
            for second in stride(from: first, through: bytes.count, by: 7) {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                #expect(try scan(pieces).parts == Self.parts)
            }
        }
        #expect(try scan(bytes.map { [$0] }).parts == Self.parts)
    }

    @Test(arguments: [
        "--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--",
        "--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--\r\n",
        "--tide\r\n\(disposition)\r\n\r\nx\r\n--tide-- \t\r\n",
        "--tide \t \r\n\(disposition)\r\n\r\nx\r\n--tide--",
        "\r\n--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--",
        "A preamble\nwith --tide in it\r\n--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--\r\nAn epilogue\r\n--tide\r\n",
        "--tide\r\nX-Other: 1\r\n\(disposition)\r\nContent-Transfer-Encoding: binary\r\n\r\nx\r\n--tide--",
    ])
    func `every legal frame around one part is read`(_ form: String) throws {
        let part = try #require(scan(form).first)
        #expect(part.fileName == "a.txt" && part.content == Array("x".utf8))
        #expect(try scan(form).count == 1)
    }

    @Test(arguments: [
        "--tide\r\n\(disposition)\r\n\r\n--tide--", "--tide\r\n\(disposition)\r\n\r\n\r\n--tide--",
    ])
    func `a part without content is empty`(_ form: String) throws {
        let bytes = Array(form.utf8)
        for place in 0...bytes.count {
            let parts = try scan([Array(bytes[..<place]), Array(bytes[place...])]).parts
            #expect(parts.map(\.content) == [[]])
        }
    }

    @Test func `a form without parts has none`() throws { #expect(try scan("--tide--\r\n").isEmpty) }

    @Test(arguments: [
        "\r", "\n", "\r\n", "\r\r\n", "\r\n--tid", "\r\n--", "\n--tide", "--tide", "\r--tide", "\r\n-tide", "\0\u{7F}",
        "\r\n\r\n--tid\r\n--tid",
    ])
    func `content that looks like a boundary is content`(_ content: String) throws {
        // The first bytes of a content can be taken for a boundary only as a whole line.
        let form = "--tide\r\n\(disposition)\r\n\r\n.\(content).\r\n--tide--"
        let bytes = Array(form.utf8)
        for place in 0...bytes.count {
            let parts = try scan([Array(bytes[..<place]), Array(bytes[place...])]).parts
            #expect(parts.map(\.content) == [Array(".\(content).".utf8)])
        }
    }

    @Test(arguments: [
        ("", "boundary"), ("x", "boundary"), ("--tide", "boundary"), ("--tide-", "boundary"),
        ("--tidex\r\n", "boundary"), ("--tide-x", "boundary"), ("--tide\n\(disposition)\n\nx\n--tide--", "boundary"),
        ("--tide\r\n\(disposition)\r\n\r\nx", "boundary"), ("--tide\r\n\(disposition)\r\n\r\nx\r\n--tide", "boundary"),
        ("--tide\r\n\(disposition)\r\n\r\nx\r\n--tide\r\n", "boundary"),
        ("--tide\r\n\(disposition)\r\n\r\nx\n--tide--", "boundary"),
        ("--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--junk", "boundary"),
        ("--tide\r\n\(disposition)\r\n\r\nx\r\n--tide--\n", "boundary"),
        ("--tide\r\n\(disposition)\n\nx\r\n--tide--", "header"),
        ("--tide\r\n\(disposition)\r\r\n\r\nx\r\n--tide--", "header"),
        ("--tide\r\nX: a\nY: b\r\n\r\n\r\n--tide--", "header"),
        ("--tide\r\nX: a\r\n folded\r\n\r\n\r\n--tide--", "header"),
        ("--tide\r\nno colon\r\n\r\n\r\n--tide--", "header"), ("--tide\r\n: empty\r\n\r\n\r\n--tide--", "header"),
        ("--tide\r\nX : a\r\n\r\n\r\n--tide--", "header"), ("--tide\r\nX: \0\r\n\r\n\r\n--tide--", "header"),
        ("--tide\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\nContent-Type: a/b\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\n\(disposition)\r\n\(disposition)\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\nContent-Disposition: form-data; name=\"a\"b\r\n\r\nx\r\n--tide--", "content-disposition"),
        ("--tide\r\nContent-Disposition: form-data\r\n\r\nx\r\n--tide--", "name"),
        ("--tide\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--tide--", "name"),
        ("--tide\r\n\(disposition); filename=b\r\n\r\nx\r\n--tide--", "filename"),
        ("--tide\r\n\(disposition); filename*=UTF-8''b\r\n\r\nx\r\n--tide--", "filename*"),
        (
            "--tide\r\n\(disposition)\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--tide--",
            "content-transfer-encoding"
        ),
    ])
    func `a malformed form is 400 naming the wrong part, however it is split`(_ form: String, _ field: String) throws {
        let bytes = Array(form.utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let error = try #require(throws: ServiceError.self) { try scan(pieces) }
            #expect(error.problem.status == 400 && error.problem.code == "malformed_multipart")
            #expect(error.problem.errors?.map(\.field) == [field], "\(error.problem.detail ?? "")")
        }
    }

    @Test func `a header that is not UTF-8 is 400`() {
        let bytes = Array("--tide\r\nContent-Disposition: form-data; name=\"".utf8) + [0xFF] + Array("\"\r\n\r\n".utf8)
        #expect(throws: ServiceError.self) { try scan([bytes]) }
    }

    @Test func `headers, parts, preamble and epilogue have limits`() throws {
        func form(_ header: Int, parts: Int = 1, preamble: Int = 0, epilogue: Int = 0) -> [UInt8] {
            let part = "--tide\r\n\(disposition)\r\nX: \(String(repeating: "x", count: header))\r\n\r\nx\r\n"
            let (before, after) = (String(repeating: "p", count: preamble), String(repeating: "e", count: epilogue))
            return Array("\(before)\r\n\(String(repeating: part, count: parts))--tide--\r\n\(after)".utf8)
        }
        let room = 8192 - "\(disposition)\r\nX: ".utf8.count
        #expect(try scan([form(room)]).parts.count == 1)
        #expect(try scan([form(1, parts: 16, preamble: 4000, epilogue: 4096)]).parts.count == 16)
        for bad in [
            form(room + 1), form(1_000_000), form(1, parts: 17), form(1, preamble: 4100), form(1, epilogue: 4097),
        ] {
            let small = stride(from: 0, to: bad.count, by: 97).map { Array(bad[$0..<min($0 + 97, bad.count)]) }
            for pieces in [[bad], small] {
                let error = try #require(throws: ServiceError.self) { try scan(pieces) }
                #expect(error.problem.status == 400)
            }
        }
    }
}

@Suite struct MultipartFuzzTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `any form is parsed correctly in any split and in bounded memory`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet: [UInt8] = Array("\r\n--tide ".utf8) + [0, 0xFF]
        let parts = (0..<Int.random(in: 1...5, using: &random)).map { number in
            let count = Int.random(in: 0...3000, using: &random)
            let content = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            return ScannedPart(name: "p\(number)", fileName: "f", mediaType: nil, content: content)
        }
        // A boundary that no content holds.
        let boundary = "tide-\(seed)x"
        var body: [UInt8] = []
        for part in parts {
            let header = "--\(boundary)\r\nContent-Disposition: form-data; name=\(part.name); filename=f\r\n\r\n"
            body += Array(header.utf8) + part.content + [13, 10]
        }
        body += Array("--\(boundary)--\r\n".utf8)
        let largest = Int.random(in: 1...500, using: &random)
        var pieces: [[UInt8]] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...largest, using: &random))
            rest = rest.dropFirst(piece.count)
            pieces.append(Array(piece))
        }
        let result = try scan(pieces, boundary: boundary)
        #expect(result.parts == parts)
        #expect(result.kept <= 100, "a header here has fewer bytes")
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `damage anywhere gives a form or a 400, and nothing else`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let whole = Array(
            ("--tide\r\n\(disposition)\r\nContent-Type: a/b\r\n\r\nxx\r\nyy\r\n--tide\r\n"
                + "Content-Disposition: form-data; name=\"b\"\r\n\r\nzz\r\n--tide--\r\n").utf8)
        for _ in 0..<100 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where !bytes.isEmpty: bytes.remove(at: place)
                case 1 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(place, bytes.count))
                default: bytes = Array(bytes.prefix(place))
                }
            }
            do { _ = try scan(bytes.map { [$0] }) } catch let error as ServiceError {
                #expect(error.problem.status == 400)
            }
        }
    }
}
