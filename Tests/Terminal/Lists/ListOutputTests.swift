import ArgumentParser
import Testing

@testable import StrataTerminal

struct ListOutputTests {
    private func numbers(_ options: String...) throws -> ListView<Int> {
        ListView(try ListOptions.parse(options), empty: "There are no numbers.") {
            Table($0, [ListColumn(.init("NUMBER")) { .init("\($0)") }])
        }
    }

    @Test(arguments: [0, 1, 199, 200, 201, 1000])
    func `a list of any length is one document`(count: Int) throws {
        let (console, output, errors) = Console.inMemory(json: true)
        var list = console.list(try numbers())
        for number in 0..<count { list.add(number) }
        #expect(output.text.isEmpty == (count < 200))
        try list.finish()
        #expect(output.text == "[" + (0..<count).map(String.init).joined(separator: ",") + "]\n")
        #expect(errors.text.isEmpty)
    }

    @Test func `a row that cannot be written ends the document with its error`() throws {
        let (console, output, _) = Console.inMemory(json: true)
        #expect(throws: EncodingError.self) {
            try console.list([Double.nan, 1], ListView(ListOptions.parse([]), empty: "") { _ in Table([]) })
        }
        #expect(output.text.isEmpty)
    }

    @Test func `rows are a table, and no rows a sentence on standard error`() throws {
        let (console, output, errors) = Console.inMemory()
        try console.list([1, 2], try numbers())
        #expect(output.lines == ["NUMBER", "1", "2"] && errors.text.isEmpty)
        try console.list([], try numbers())
        #expect(output.lines.count == 3 && errors.text == "There are no numbers.\n")
    }

    @Test(
        arguments: [
            (nil, "2 shown, and there are more; --limit N shows them.\n"), (3, "2 of 3; --limit N shows more.\n"),
            (10_001, "2 of 10,001; --limit N shows more.\n"),
        ] as [(Int?, String)])
    func `a list that is cut says so on standard error, also with --json`(total: Int?, note: String) throws {
        for (isJSON, text) in [(false, "NUMBER\n1\n2\n"), (true, "[1,2]\n")] {
            let (console, output, errors) = Console.inMemory(json: isJSON)
            try console.list([1, 2, 3], try numbers("--limit", "2"), of: total)
            #expect(output.text == text && errors.text == note)
        }
    }

    @Test func `the output of a list applies its limit to every form`() throws {
        for (isJSON, text) in [(false, "NUMBER\n1\n"), (true, "[1]\n")] {
            let (console, output, errors) = Console.inMemory(json: isJSON)
            var list = console.list(try numbers("--limit", "1"))
            list.add(contentsOf: [1, 2])
            try list.printRows()
            #expect(output.text == text && errors.text.isEmpty && list.count == 2 && list.isTable != isJSON)
        }
    }

    @Test func `a table in few lines counts the rows that it leaves out, also those beyond the limit`() throws {
        let console = Console.inMemory().console
        var list = console.list(try numbers("--limit", "3"))
        #expect(list.lines(room: 2) == ["There are no numbers."])
        list.add(contentsOf: 1...4)
        #expect(list.lines(room: 2) == ["NUMBER", "1", "2", "… 2 more"])
        #expect(list.lines(room: 9) == ["NUMBER", "1", "2", "3", "… 1 more"])
    }

    @Test func `a table has 50 rows unless --limit says otherwise, JSON all`() throws {
        let (people, programs) = (Console.inMemory().console, Console.inMemory(json: true).console)
        let (all, three) = (try ListOptions.parse([]), try ListOptions.parse(["--limit", "3"]))
        #expect([all.rows(people), all.rows(programs), three.rows(people), three.rows(programs)] == [50, .max, 3, 3])
        #expect([all.rowsToRead(people), all.rowsToRead(programs), three.rowsToRead(programs)] == [51, nil, 4])
        for limit in ["0", "-1", "many"] {
            #expect(throws: (any Error).self) { try ListOptions.parse(["--limit=\(limit)"]) }
        }
    }
}
