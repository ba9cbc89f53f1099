import AccountsDomain
import AccountsPresentation
import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import Testing

struct UserCommandTests {
    private let repository = FakeAccountRepository()
    private var accounts: Accounts { Accounts(repository) }

    @Test func `an account is listed, and updated by a part of its id`() async throws {
        let whole = "019a9a3e-1f00-7000-8000-00000b77e01d"
        repository.change { $0.users = [.sample(whole, "bob", role: .member)] }
        let (console, output, _) = Console.inMemory(width: 80)
        try await UserUpdateCommand.parse(["b77e01d", "--username", "rob"]).run(accounts, console)
        try await ResourceListCommand<User>.parse([]).run(accounts, console)
        #expect(
            output.lines.suffix(2) == [
                "ID       NAME  ROLE    EMAIL  CREATED UTC", "b77e01d  rob   member         11-21 12:00",
            ])
    }

    @Test func `an account is created with a password from standard input`() async throws {
        let (console, output, errors) = Console.inMemory(input: MemoryInput("long enough\n"))
        try await UserCreateCommand.parse(["bob", "--role", "admin", "--password-stdin"]).run(accounts, console)
        #expect(repository.current.passwords["bob"] == Secret("long enough"))
        #expect(output.lines.contains("name     bob") && output.lines.contains("role     admin"))
        #expect(!(output.text + errors.text).contains("long enough"))
    }

    @Test func `an address is given, shown, and removed by an empty text`() async throws {
        let (console, output, _) = Console.inMemory(input: MemoryInput("long enough\n"))
        try await UserCreateCommand.parse(["bob", "--email", "bob@example.org", "--password-stdin"]).run(
            accounts, console)
        #expect(output.lines.contains("email    bob@example.org"))
        try await UserUpdateCommand.parse(["u2", "--role", "admin"]).run(accounts, console)
        #expect(repository.current.users.last?.email == "bob@example.org")
        try await UserUpdateCommand.parse(["u2", "--email", ""]).run(accounts, console)
        #expect(repository.current.users.last?.email == nil)
    }

    @Test func `a person types a new password twice`() async throws {
        let input = MemoryInput(answers: ["long enough", "long enough"])
        let (console, _, _) = Console.inMemory(input: input)
        try await UserCreateCommand.parse(["bob"]).run(accounts, console)
        #expect(input.prompts == ["New password: (hidden)", "Once more: (hidden)"])
        #expect(repository.current.users.last?.role == .member)
    }

    @Test func `two different passwords create nothing`() async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput(answers: ["long enough", "long enouhg"]))
        let error = await #expect(throws: DomainError.self) {
            try await UserCreateCommand.parse(["bob"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
        #expect(repository.current.users.count == 1)
    }

    @Test(arguments: [
        ("Bob", "long enough", "username"), ("bob", "short", "password"), ("", "long enough", "username"),
    ])
    func `a draft that breaks the rules is refused by field, before anything is sent`(
        name: String, password: String, field: String
    ) async throws {
        let (console, _, errors) = Console.inMemory(input: MemoryInput(password))
        let error = await #expect(throws: DomainError.self) {
            try await UserCreateCommand.parse([name, "--password-stdin"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
        #expect(errors.text.contains("error: \(field): "))
        #expect(!errors.text.contains(password))
        #expect(repository.current.users.count == 1)
    }

    @Test func `an update keeps what is not given`() async throws {
        let (console, _, _) = Console.inMemory()
        try await UserUpdateCommand.parse(["u1", "--role", "member"]).run(accounts, console)
        #expect(repository.current.users.first?.username == "ada")
        #expect(repository.current.users.first?.role == .member)
        #expect(repository.current.passwords["ada"] == Secret("correct horse"))
    }

    @Test func `a password is changed alone`() async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput("another one\n"))
        try await UserUpdateCommand.parse(["u1", "--password-stdin"]).run(accounts, console)
        #expect(repository.current.passwords["ada"] == Secret("another one"))
        #expect(repository.current.users.first?.role == .admin)
    }

    @Test func `an account is shown with the time of its update, and deleted`() async throws {
        let (console, output, _) = Console.inMemory()
        try await ResourceShowCommand<User>.parse(["u1"]).run(accounts, console)
        #expect(
            output.lines == [
                "id       u1", "name     ada", "role     admin", "email    ", "created  2026-11-21 12:00:00Z",
                "updated  2026-11-21 12:00:00Z",
            ])
        try await ResourceRemoveCommand<User>.parse(["u1"]).run(accounts, console)
        #expect(output.lines.last == "u1  deleted" && repository.current.users.isEmpty)
    }
}
