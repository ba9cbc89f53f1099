import Foundation
import StrataTesting
import Testing

/// Where a login puts the tokens, by SHIFTLOG_TOKEN_STORE and by what the machine has.
struct TokenPlaceTests {
    enum Keyring: String, Sendable {
        case absent, broken, working
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let setting: String
        let keyring: Keyring
        /// `nil`: the login fails.
        let place: String?
        /// What the login says besides the place.
        var words = ""
        var testDescription: String { "\(setting), keyring \(keyring)" }
    }

    private static let cases = [
        Case(setting: "auto", keyring: .absent, place: "file"),
        Case(setting: "auto", keyring: .broken, place: "file", words: "The tokens go to a file: "),
        Case(setting: "auto", keyring: .working, place: "keyring"),
        Case(setting: "file", keyring: .working, place: "file"),
        Case(setting: "secret-service", keyring: .working, place: "keyring"),
        Case(setting: "secret-service", keyring: .broken, place: nil, words: "set SHIFTLOG_TOKEN_STORE=file"),
        Case(setting: "secret-service", keyring: .absent, place: nil, words: "set SHIFTLOG_TOKEN_STORE=file"),
    ]

    @Test func `a login puts the tokens where the setting and the machine say, and names what it falls back to`()
        async throws
    {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        for (number, one) in Self.cases.enumerated() {
            let tools = try tools(one.keyring, in: "\(workspace.root)/tools-\(number)")
            let home = "home-\(number)"
            var variables = [
                "PATH": tools, "SHIFTLOG_TOKEN_STORE": one.setting, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
            ]
            func shiftlog(_ arguments: [String], input: String? = nil) async throws -> Outcome {
                try await workspace.start(
                    "shiftlog", arguments, home: home, server: server, input: input, variables: variables
                ).outcome()
            }
            let login = try await shiftlog(
                ["login", "--username", "ada", "--password-stdin"], input: "\(Workspace.password)\n")
            #expect((login.status == 0) == (one.place != nil), "\(one): \(login.status) \(login.err)")
            #expect(login.err.contains(one.words) || one.words.isEmpty, "\(one): \(login.err)")
            #expect(login.err.contains("The tokens go to a file") == (one.place == "file" && !one.words.isEmpty))
            let isInFile = (try? workspace.keptToken("refresh_token", home: home)) != nil
            #expect(isInFile == (one.place == "file"), "\(one)")
            guard let place = one.place else { continue }
            #expect(login.err.contains("The tokens are kept in \(place)"), "\(one): \(login.err)")
            // A later command finds the tokens where the login has put them.
            variables["SHIFTLOG_TOKEN_STORE"] = nil
            let known = try await shiftlog(["whoami"])
            #expect(known.status == 0 && known.out.contains("ada"), "\(one): \(known.err)")
        }
        withExtendedLifetime(server) {}
    }

    /// A folder of programs with a `secret-tool` of that kind.
    private func tools(_ keyring: Keyring, in folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard keyring != .absent else { return folder }
        let script =
            keyring == .broken
            ? "echo 'secret-tool: The name org.freedesktop.secrets was not provided by any .service files' >&2; exit 1"
            : """
            PATH=/usr/bin:/bin
            verb=$1; shift
            case $1 in --label=*) shift;; esac
            item=${0%/*}/$(printf %s "$2.$4" | cksum | tr ' ' -)
            case $verb in
            store) cat > "$item";;
            lookup) [ -f "$item" ] && cat "$item";;
            search) [ -f "$item" ] && printf '[/1]\\nlabel = l\\n'; exit 0;;
            clear) [ -f "$item" ] && rm "$item";;
            esac
            """
        try "#!/bin/sh\n\(script)\n".write(toFile: "\(folder)/new", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/new")
        try FileManager.default.moveItem(atPath: "\(folder)/new", toPath: "\(folder)/secret-tool")
        return folder
    }
}
