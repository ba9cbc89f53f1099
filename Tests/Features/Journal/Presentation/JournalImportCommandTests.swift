import ArgumentParser
import FoundationEssentials
import JournalDomain
import JournalPresentation
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct JournalImportCommandTests {
    private let double = JournalDouble()
    private var journal: Journal { double.journal() }

    /// Lines with a time of their own, so that importing them again adds nothing.
    private func log(_ numbers: Range<Int>) -> Data {
        Data(numbers.map { "2026-11-21T10:00:00Z line \($0)\n" }.joined().utf8)
    }

    private func run(_ input: MemoryInput, _ arguments: [String] = [], json: Bool = false, width: Int? = nil)
        async throws
        -> (result: Result<Void, any Error>, output: MemorySink, errors: MemorySink)
    {
        let (console, output, errors) = Console.inMemory(json: json, width: width, input: input)
        let command = try JournalImportCommand.parse(["-"] + arguments)
        do {
            try await command.run(journal, console)
            return (.success(()), output, errors)
        } catch {
            return (.failure(error), output, errors)
        }
    }

    @Test func `each durable batch is told on standard output when nobody watches`() async throws {
        let (result, output, errors) = try await run(MemoryInput([log(0..<300), log(300..<700), log(700..<701)]))
        #expect(throws: Never.self) { try result.get() }
        #expect(
            output.lines == [
                "accepted 300", "accepted 700", "accepted 701", "done: 701 accepted, 0 already known, 0 rejected",
            ])
        #expect(errors.text.isEmpty)
        #expect(double.entries.current.items.count == 701)
        #expect(double.entries.current.items.allSatisfy { $0.host == "here" })
    }

    @Test func `on a terminal there is progress and one line at the end`() async throws {
        let (_, output, errors) = try await run(MemoryInput([log(0..<10), log(10..<20)]), width: 100)
        #expect(output.lines == ["done: 20 accepted, 0 already known, 0 rejected"])
        #expect(errors.text.contains("49 %  10 accepted, 0 rejected"))
        #expect(errors.text.contains("100 %  20 accepted"))
        #expect(errors.text.hasSuffix("\r\u{1B}[K"), "the progress line is gone at the end")
    }

    @Test func `programs get one document and nothing else`() async throws {
        let input = MemoryInput([log(0..<2), Data([0xFF, 0x0A])])
        let (result, output, errors) = try await run(input, json: true)
        #expect(
            output.text == #"{"accepted":2,"already_known":0,"failures":[{"excerpt":"\#u{FFFD}","line":3,"#
                + #""reason":"is not UTF-8 text"}],"rejected":1}"# + "\n")
        #expect(errors.text.isEmpty)
        #expect(throws: CommandFailure(.rejected)) { try result.get() }
    }

    @Test func `a line that cannot be read is told by its number, the others are imported, and it ends with 65`()
        async throws
    {
        let lines = Data("2026-01-01 10:00:00 status installed a\nno time here\n\n2026-01-01 10:00:01 remove b\n".utf8)
        let (result, output, errors) = try await run(MemoryInput([lines]), ["--format", "dpkg", "--host", "web1"])
        #expect(output.lines.last == "done: 2 accepted, 0 already known, 1 rejected")
        #expect(errors.lines.count == 1)
        #expect(errors.lines.first?.hasPrefix("warning: Line 2 ") == true)
        #expect(throws: CommandFailure(.rejected)) { try result.get() }
        #expect(double.entries.current.items.map(\.host) == ["web1", "web1"])
    }

    @Test func `fifty lines are told, the rest is counted`() async throws {
        let bad = Data((0..<60).map { "no time \($0)\n" }.joined().utf8)
        let (_, _, errors) = try await run(MemoryInput([bad]), ["--format", "dpkg"])
        #expect(errors.lines.count == 51)
        #expect(errors.lines.last == "warning: 10 more lines cannot be read.")
    }

    @Test func `importing again adds only what is new`() async throws {
        _ = try await run(MemoryInput([log(0..<5)]))
        let (result, output, _) = try await run(MemoryInput([log(0..<8)]))
        #expect(throws: Never.self) { try result.get() }
        #expect(output.lines.last == "done: 3 accepted, 5 already known, 0 rejected")
        #expect(double.entries.current.items.count == 8)
    }

    @Test func `a full disk ends it with 73 and says what stays`() async throws {
        double.change { $0.room = 10 }
        let (result, output, errors) = try await run(MemoryInput([log(0..<10), log(10..<20)]))
        let error = #expect(throws: DomainError.self) { try result.get() }
        #expect(error.map { Console.inMemory().console.fail($0).rawValue } == 73)
        #expect(output.lines == ["accepted 10"])
        #expect(errors.text.contains("10 lines were accepted and stay"))
    }

    @Test func `an unreadable file ends with 66`() async throws {
        let (console, output, _) = Console.inMemory()
        let error = await #expect(throws: CommandFailure.self) {
            try await JournalImportCommand.parse(["/no/such.log"]).run(journal, console)
        }
        #expect(error?.status.rawValue == 66)
        #expect(error?.message?.contains("/no/such.log") == true)
        #expect(output.text.isEmpty)
    }

    @Test func `a directory ends with 65`() async throws {
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: CommandFailure.self) {
            try await JournalImportCommand.parse(["/tmp"]).run(journal, console)
        }
        #expect(error?.status.rawValue == 65)
        #expect(error?.message == "'/tmp' is a directory. Name a file in it.")
    }

    @Test func `a batch of known lines is not told`() async throws {
        _ = try await run(MemoryInput([log(0..<5), log(5..<10)]))
        let (_, output, errors) = try await run(MemoryInput([log(0..<5), log(5..<10)]))
        #expect(output.lines == ["done: 0 accepted, 10 already known, 0 rejected"])
        #expect(errors.text.isEmpty)
    }

    @Test func `lines of a stream without a time are said to be added twice by another import`() async throws {
        let (_, output, errors) = try await run(MemoryInput("one\ntwo\n"))
        #expect(output.lines.last == "done: 2 accepted, 0 already known, 0 rejected")
        #expect(errors.lines.first?.hasPrefix("Importing this again adds 2 lines a second time") == true)

        double.change { $0.room = 2 }
        let (_, _, interrupted) = try await run(MemoryInput([Data("a\nb\n".utf8), Data("c\n".utf8)]))
        #expect(interrupted.text.contains("2 lines were accepted and stay. Importing again adds the rest, and 2 lines"))
    }

    @Test func `an empty log is no error`() async throws {
        let (result, output, _) = try await run(MemoryInput())
        #expect(throws: Never.self) { try result.get() }
        #expect(output.lines == ["done: 0 accepted, 0 already known, 0 rejected"])
    }
}
