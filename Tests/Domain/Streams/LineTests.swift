import FoundationEssentials
import StrataDomain
import Testing

struct LineTests {
    private struct Row: Decodable, Sendable, Equatable { var id: Int }

    private func all<Parser: ChunkParser>(_ parser: Parser, _ chunks: [Data]) throws(NetworkError) -> [Parser.Element] {
        var parser = parser
        var elements: [Parser.Element] = []
        for chunk in chunks {
            parser.append(chunk)
            while let element = try parser.next() { elements.append(element) }
        }
        if let element = try parser.finish() { elements.append(element) }
        return elements
    }

    private func lines(_ text: String) throws -> [String] { try all(LineParser(), [Data(text.utf8)]) }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r", ["a"]), ("a\r\n", ["a"]), ("\n", [""]),
            ("\r\n\r\n", ["", ""]),
            ("\n\r", ["", ""]), ("a\rb\nc\r\nd", ["a", "b", "c", "d"]), ("a\n\nb", ["a", "", "b"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []),
            ("a\u{2028}b\u{85}c", ["a\u{2028}b\u{85}c"]),
        ] as [(String, [String])])
    func `a line ends with LF, CR or both, and a last line needs no end`(text: String, expected: [String]) throws {
        #expect(try lines(text) == expected)
    }

    @Test func `every cut gives the same lines`() throws {
        let text = Data("\u{FEFF}ä\r\n\r\n🙂\rb\n\rlast".utf8)
        let whole = try all(LineParser(), [text])
        #expect(whole == ["ä", "", "🙂", "b", "", "last"])
        for place in 0...text.count {
            #expect(try all(LineParser(), [text.prefix(place), text.dropFirst(place)]) == whole, "cut at \(place)")
        }
        #expect(try all(LineParser(), text.map { Data([$0]) }) == whole)
    }

    @Test func `bytes that are not UTF-8 are replaced`() throws {
        #expect(try all(LineParser(), [Data([0x61, 0xFF, 0x0A, 0xC3])]) == ["a\u{FFFD}", "\u{FFFD}"])
    }

    @Test(arguments: [(3, true), (2, false)])
    func `a line without an end is bounded, in pieces too`(limit: Int, fits: Bool) {
        for chunks in [[Data("abc".utf8)], Data("abc".utf8).map { Data([$0]) }] {
            #expect(((try? all(LineParser(upTo: limit), chunks)) != nil) == fits)
        }
    }

    @Test func `a row a line, empty lines between them, and the last without an end`() throws {
        let text = "{\"id\":1}\r\n\n  \n{\"id\":\r2}\n{\"id\":3}"
        #expect(try all(JSONRowParser<Row>(), [Data(text.utf8)]) == [1, 2, 3].map(Row.init))
    }

    @Test(arguments: ["{\"id\":1}\n{\"id\":", "{\"id\":1}\nnull\n", "{\"id\":1}\n{\"no\":1}\n"])
    func `a row that was cut or is another value fails after the rows before it`(text: String) throws {
        var parser = JSONRowParser<Row>()
        parser.append(Data(text.utf8))
        #expect(try parser.next() == Row(id: 1))
        let error = #expect(throws: NetworkError.self) {
            _ = try parser.next()
            _ = try parser.finish()
        }
        #expect(error?.description.contains("could not be read") == true)
    }
}
