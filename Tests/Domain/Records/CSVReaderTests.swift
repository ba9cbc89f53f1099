import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct CSVReaderTests {
    /// The records of `text`, read in pieces of `length` bytes.
    private func records(_ text: String, length: Int = .max, limit: Int = 1 << 20) -> [CSVReader.Record] {
        var reader = CSVReader(limit: limit)
        let bytes = Data(text.utf8)
        var records: [CSVReader.Record] = []
        var start = 0
        while start < bytes.count {
            let end = length == .max ? bytes.count : min(start + length, bytes.count)
            records += reader.records(in: bytes[start..<end])
            start = end
        }
        return records + (reader.finish().map { [$0] } ?? [])
    }

    private func texts(_ text: String, length: Int = .max) -> [[String]] {
        records(text, length: length).map { $0.cells.map(\.text) }
    }

    @Test(arguments: [1, 2, 3, .max])
    func `records are the same wherever the bytes are cut`(length: Int) {
        let text = "\u{FEFF}a,b\r\n\"1,\"\"x\"\"\r\n2\",é\n,\"\"\n\"last\",日"
        let expected = [["a", "b"], ["1,\"x\"\r\n2", "é"], ["", ""], ["last", "日"]]
        #expect(texts(text, length: length) == expected)
        #expect(records(text, length: length).map(\.line) == [1, 2, 4, 5])
        #expect(records(text, length: length).allSatisfy { $0.flaw == nil })
        #expect(records(text, length: length)[2].cells.map(\.isQuoted) == [false, true])
    }

    @Test func `a part of a byte order mark is text, and not UTF-8`() {
        var reader = CSVReader()
        #expect(reader.records(in: Data([0xEF, 0xBB, 0x0A])).map(\.flaw) == ["is not UTF-8 in column 1"])
    }

    @Test func `a text of no bytes has no records, and an empty line has no cells`() {
        #expect(records("").isEmpty)
        #expect(texts("a\n\r\nb\n") == [["a"], [], ["b"]])
        #expect(texts("a,\n") == [["a", ""]])
    }

    @Test(arguments: [
        ("a\"b,c\nd\n", "quote inside"), ("\"a\"b,c\nd\n", "after the quote"), ("a\rb\nd\n", "carriage return"),
        ("\"a\r\n", "not closed"),
    ])
    func `a flaw is told once, and the records after it are read`(text: String, words: String) throws {
        let found = records(text)
        #expect(try #require(found.first?.flaw).contains(words))
        #expect(found.dropFirst().map { $0.cells.map(\.text) } == (words == "not closed" ? [] : [["d"]]))
    }

    @Test func `a record above the limit is not kept, and the next one is read`() {
        let found = records("\(String(repeating: "x", count: 20))\nshort\n", limit: 10)
        #expect(found.map(\.flaw) == ["is longer than 10 bytes", nil])
        #expect(found.last?.cells.map(\.text) == ["short"])
    }

    @Test(arguments: 0..<50)
    func `what is written is read`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = ["\"", ",", "\r", "\n", "\r\n", "a", "é", "e\u{301}", "\"\u{301}", "日本", " ", "=1+1", "\u{FEFF}"]
        let rows: [[String?]] = (0..<20).map { _ in
            (0..<3).map { _ in
                Int.random(in: 0..<4, using: &random) == 0
                    ? nil
                    : (0..<Int.random(in: 0..<6, using: &random))
                        .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            }
        }
        let text = CSVText.record(["x", "y", "z"]) + rows.map(CSVText.record).joined()
        let found = records(text, length: 7)
        #expect(found.allSatisfy { $0.flaw == nil })
        let read: [[String?]] = found.dropFirst().map {
            $0.cells.map { $0.text.isEmpty && !$0.isQuoted ? nil : $0.text }
        }
        #expect(read.map { $0.map { $0.map { Array($0.utf8) } } } == rows.map { $0.map { $0.map { Array($0.utf8) } } })
    }
}
