import AccountsDomain
import AccountsPresentation
import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTerminal
import StrataTesting
import Testing

struct AccountCommandTests {
    private let repository = FakeAccountRepository()
    private var accounts: Accounts { Accounts(repository) }

    @Test func `a script logs in with the password on standard input`() async throws {
        let (console, output, errors) = Console.inMemory(input: MemoryInput("correct horse\n"))
        try await LoginCommand.parse(["--username", "ada", "--password-stdin"]).run(accounts, console)
        #expect(repository.current.loggedIn == "ada")
        #expect(repository.current.devices == ["here"])
        #expect(output.text == "logged in as ada\n")
        #expect(errors.text == "The tokens are kept in file /home/ada/tokens.json.\n")
    }

    @Test func `a person is asked for what is not given, the password without echo`() async throws {
        let input = MemoryInput(answers: ["no", "ada", "correct horse"])
        let (console, _, _) = Console.inMemory(input: input)
        try await LoginCommand.parse([]).run(accounts, console)
        #expect(repository.current.loggedIn == "ada")
        #expect(input.prompts == ["Log in with a browser? [Y/n] ", "Username: ", "Password: (hidden)"])
    }

    @Test func `a login by a browser shows the code, the page and its link`() async throws {
        let (console, output, errors) = Console.inMemory(width: 80)
        try await LoginCommand.parse(["--device"]).run(accounts, console)
        #expect(repository.current.devices == ["here"])
        #expect(
            output.lines == [
                "Open https://example.org/device in a browser and type the code WDJB-MJHT, "
                    + "or open https://example.org/device?user_code=WDJB-MJHT.",
                "Allow the login only on a page that shows this code. Waiting …", "logged in as ada",
            ])
        #expect(errors.text == "The tokens are kept in file /home/ada/tokens.json.\n")
    }

    @Test func `a login by a browser is offered first on a terminal`() async throws {
        let input = MemoryInput(answers: [""])
        let (console, output, _) = Console.inMemory(input: input)
        try await LoginCommand.parse([]).run(accounts, console)
        #expect(input.prompts == ["Log in with a browser? [Y/n] "])
        #expect(output.text.hasSuffix("logged in as ada\n"))
    }

    @Test func `with --json the code is on standard error`() async throws {
        let (console, output, errors) = Console.inMemory(json: true)
        try await LoginCommand.parse(["--device"]).run(accounts, console)
        #expect(output.text == #"{"tokens":"file /home/ada/tokens.json","username":"ada"}"# + "\n")
        #expect(errors.text.contains("WDJB-MJHT"))
    }

    @Test func `a refusal in the browser ends with 77`() async throws {
        repository.change { $0.browserRefusal = .forbidden("The login was refused in the browser.") }
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await LoginCommand.parse(["--device"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 77)
    }

    @Test(arguments: [["--device", "--username", "ada"], ["--device", "--password-stdin"]])
    func `a login by a browser takes no name and no password`(arguments: [String]) {
        #expect(throws: (any Error).self) { try LoginCommand.parse(arguments) }
    }

    @Test(arguments: [[], ["--username", "ada"], ["--password-stdin"]])
    func `without a terminal nobody is asked, and it ends with 64`(arguments: [String]) async throws {
        let (console, _, _) = Console.inMemory(input: MemoryInput("correct horse\n"))
        let error = await #expect(throws: CommandFailure.self) {
            try await LoginCommand.parse(arguments).run(accounts, console)
        }
        #expect(error?.status.rawValue == 64)
        #expect(
            error?.message?.contains(arguments == ["--username", "ada"] ? "--password-stdin" : "--username") == true)
        #expect(repository.current.loggedIn == nil)
    }

    @Test func `a wrong password ends with 77 and shows nowhere`() async throws {
        let (console, output, errors) = Console.inMemory(input: MemoryInput("hunter2"))
        let error = await #expect(throws: DomainError.self) {
            try await LoginCommand.parse(["--username", "ada", "--password-stdin"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 77)
        #expect(!(output.text + errors.text).contains("hunter2"))
    }

    @Test(arguments: ["", String(repeating: "x", count: 1025)])
    func `a password of no possible length is not sent`(password: String) async throws {
        let (console, _, errors) = Console.inMemory(input: MemoryInput(password))
        let error = await #expect(throws: DomainError.self) {
            try await LoginCommand.parse(["--username", "ada", "--password-stdin"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
        #expect(errors.text.contains("password"))
        #expect(!errors.text.contains("xx"))
    }

    @Test func `programs learn where the tokens are, not what they are`() async throws {
        let (console, output, errors) = Console.inMemory(json: true, input: MemoryInput("correct horse"))
        try await LoginCommand.parse(["--username", "ada", "--password-stdin"]).run(accounts, console)
        #expect(output.text == #"{"tokens":"file /home/ada/tokens.json","username":"ada"}"# + "\n")
        #expect(errors.text.isEmpty)
    }

    @Test func `logging out without a server works here and says so`() async throws {
        repository.change { ($0.loggedIn, $0.isServerAway) = ("ada", true) }
        let (console, output, errors) = Console.inMemory()
        try await LogoutCommand.parse([]).run(accounts, console)
        #expect(repository.current.loggedIn == nil)
        #expect(output.text == "logged out\n")
        #expect(errors.text.contains("server was not told"))
    }

    @Test func `logging out everywhere needs the server`() async throws {
        repository.change { ($0.loggedIn, $0.isServerAway) = ("ada", true) }
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await LogoutCommand.parse(["--everywhere"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 69)
    }

    @Test func `whoami prints the account, as text and as JSON`() async throws {
        repository.change { $0.loggedIn = "ada" }
        let (people, text, _) = Console.inMemory()
        try await WhoamiCommand.parse([]).run(accounts, people)
        #expect(text.text == "ada (admin)\n")
        let (programs, document, _) = Console.inMemory(json: true)
        try await WhoamiCommand.parse([]).run(accounts, programs)
        #expect(
            document.text == #"{"created_at":"2026-11-21T12:00:00.000Z","id":"u1","role":"admin","#
                + #""updated_at":"2026-11-21T12:00:00.000Z","username":"ada"}"# + "\n")
    }

    @Test func `a person changes the password, typed without echo, the new one twice`() async throws {
        repository.change { $0.loggedIn = "ada" }
        let input = MemoryInput(answers: ["correct horse", "battery staple", "battery staple"])
        let (console, output, _) = Console.inMemory(input: input)
        try await PasswordCommand.parse([]).run(accounts, console)
        #expect(input.prompts == ["Password: (hidden)", "New password: (hidden)", "Once more: (hidden)"])
        #expect(repository.current.passwords["ada"] == Secret("battery staple"))
        #expect(output.text == "The password is changed; your other sessions have ended.\n")
    }

    @Test(arguments: ["correct horse\nbattery staple\n", "correct horse\r\nbattery staple\r\n"])
    func `a script gives the current and the new password in two lines`(text: String) async throws {
        repository.change { $0.loggedIn = "ada" }
        let (console, output, errors) = Console.inMemory(json: true, input: MemoryInput(text))
        try await PasswordCommand.parse(["--password-stdin"]).run(accounts, console)
        #expect(repository.current.passwords["ada"] == Secret("battery staple"))
        #expect(output.text == #"{"changed":true}"# + "\n" && errors.text.isEmpty)
    }

    @Test(arguments: [
        "correct horse\n", "correct horse\nshort\n", "wrong horse\nbattery staple\n",
        "correct horse\nbattery staple\n\n",
    ])
    func `a change that is not accepted ends with 65 and shows no password`(text: String) async throws {
        repository.change { $0.loggedIn = "ada" }
        let (console, output, errors) = Console.inMemory(input: MemoryInput(text))
        let error = await #expect(throws: DomainError.self) {
            try await PasswordCommand.parse(["--password-stdin"]).run(accounts, console)
        }
        #expect(error.map { console.fail($0).rawValue } == 65)
        #expect(repository.current.passwords["ada"] == Secret("correct horse"))
        #expect(!(output.text + errors.text).contains("horse"))
    }

    @Test func `sessions are listed with the one in use marked`() async throws {
        repository.change {
            $0.sessions = [
                Session(id: Session.ID("s1"), device: "laptop", createdAt: .noon, lastUsedAt: .noon, isCurrent: true),
                Session(id: Session.ID("s2"), device: "pager", createdAt: .noon, lastUsedAt: .noon, isCurrent: false),
            ]
        }
        let (console, output, _) = Console.inMemory()
        try await ResourceListCommand<Session>.parse([]).run(accounts, console)
        #expect(
            output.lines.prefix(2) == [
                "ID  DEVICE  SINCE                 LAST USED             ",
                "s1  laptop  2026-11-21 12:00:00Z  2026-11-21 12:00:00Z  this one",
            ])
        try await ResourceRemoveCommand<Session>.parse(["s2"]).run(accounts, console)
        #expect(repository.current.sessions.map(\.id.rawValue) == ["s1"] && output.lines.last == "s2  revoked")
    }

    @Test func `a host key is shown once, alone on standard output`() async throws {
        let (console, output, errors) = Console.inMemory()
        try await HostTokenCreateCommand.parse(["web1"]).run(accounts, console)
        #expect(output.text == "key-of-web1\n")
        #expect(errors.text.contains("not shown again"))
        #expect(!errors.text.contains("key-of-web1"))

        let (list, table, _) = Console.inMemory()
        try await ResourceListCommand<HostToken>.parse([]).run(accounts, list)
        #expect(
            table.lines == ["ID  NAME  CREATED               LAST USED", "t1  web1  2026-11-21 12:00:00Z  never"])
        try await ResourceRemoveCommand<HostToken>.parse(["t1"]).run(accounts, list)
        #expect(repository.current.tokens.isEmpty && table.lines.last == "t1  revoked")
    }
}
