import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

/// The Testing module has a type of the same name.
typealias ExitStatus = StrataTerminal.ExitStatus

struct ExitStatusTests {
    @Test(
        arguments: [
            (DomainError.unauthorized("t"), ExitStatus.noPermission, 77, "unauthorized"),
            (.forbidden("t"), .noPermission, 77, "forbidden"),
            (.notFound("t"), .notFound, 66, "not_found"),
            (.validation("t"), .rejected, 65, "validation"),
            (.conflict("t"), .rejected, 65, "conflict"),
            (.unavailable("t"), .unavailable, 69, "unavailable"),
            (.busy("t"), .tryLater, 75, "busy"),
            (.storage("t"), .cannotWrite, 73, "storage"),
            (.unexpected("t"), .software, 70, "unexpected"),
        ] as [(DomainError, ExitStatus, Int32, String)])
    func `every failure has its exit code and its name`(
        error: DomainError, status: ExitStatus, code: Int32, name: String
    ) {
        let (console, _, errors) = Console.inMemory(json: true)
        #expect(console.fail(error) == status)
        #expect(status.rawValue == code)
        #expect(errors.text == #"{"error":{"code":"\#(name)","fields":[],"message":"t"}}"# + "\n")
    }

    @Test func `an interrupted command ends with 130`() {
        let (console, output, errors) = Console.inMemory()
        #expect(console.fail(DomainError.cancelled).rawValue == 130)
        #expect(console.fail(CancellationError()).rawValue == 130)
        #expect(output.text.isEmpty)
        #expect(errors.lines == ["error: Cancelled.", "error: Cancelled."])
    }

    @Test func `a rejected input names each field on a line of its own`() {
        let error = DomainError.validation(
            "Not accepted.",
            fields: [FieldError(field: "host", message: "is empty"), .init(field: "text", message: "long")])
        let (console, _, errors) = Console.inMemory()
        #expect(console.fail(error) == .rejected)
        #expect(errors.lines == ["error: Not accepted.", "error: host: is empty", "error: text: long"])

        let (program, _, document) = Console.inMemory(json: true)
        #expect(program.fail(error) == .rejected)
        #expect(
            document.text == #"{"error":{"code":"validation","fields":[{"field":"host","message":"is empty"},"#
                + #"{"field":"text","message":"long"}],"message":"Not accepted."}}"# + "\n")
    }

    @Test func `a failure without a message prints no line`() {
        let (console, output, errors) = Console.inMemory()
        #expect(console.fail(CommandFailure(.rejected)).rawValue == 65)
        #expect(console.fail(CommandFailure(.usage, "Give --x.")).rawValue == 64)
        #expect(output.text.isEmpty)
        #expect(errors.lines == ["error: Give --x."])
    }

    @Test func `a network failure and an unexpected failure have exit codes`() {
        struct Odd: Error, CustomStringConvertible { let description = "odd \u{1B}[2J" }
        let (console, _, errors) = Console.inMemory()
        #expect(console.fail(NetworkError(.offline("refused"), request: "GET /v1/me")).rawValue == 69)
        #expect(console.fail(Odd()).rawValue == 70)
        #expect(errors.lines.last == #"error: odd \x1B[2J."#)
    }

    @Test func `a secret in an error is masked`() {
        let (console, _, errors) = Console.inMemory()
        _ = console.fail(DomainError.unexpected("token \(Secret("hunter2"))"))
        #expect(!errors.text.contains("hunter2"))
    }
}
