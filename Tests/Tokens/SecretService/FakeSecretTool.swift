import Foundation
import StrataDomain
import StrataTesting

@testable import StrataTokens

/// A fake `secret-tool`: a script that stores items in files and can be made to fail.
struct FakeSecretTool: Sendable {
    /// The failure of the script.
    enum Mood: String, CaseIterable {
        case well
        /// As with libsecret: items are not found, without an error, and only `search` lists them.
        case locked
        case noService, hang, hangWithChild, garbage, flood, crash, killed, silentFailure, deaf
    }

    let directory: String

    init(in directory: TemporaryDirectory) throws {
        self.directory = directory.path + "/keyring"
        try FileManager.default.createDirectory(atPath: self.directory + "/items", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: self.directory + "/secret-tool", withDestinationPath: Self.program.get())
        set(.well)
    }

    /// An environment with the script first on PATH and without the real keyring.
    var environment: [String: String] {
        [
            "PATH": directory + ":/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "SECRET": "CANARY",
        ]
    }

    func set(_ mood: Mood) { try? mood.rawValue.write(toFile: directory + "/mood", atomically: true, encoding: .utf8) }

    /// Arguments and environment of every call.
    var calls: String { (try? String(contentsOfFile: directory + "/calls", encoding: .utf8)) ?? "" }

    /// The stored items.
    var items: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory + "/items")) ?? [] }

    func plant(_ content: String) throws {
        try content.write(toFile: directory + "/items/strata.default", atomically: true, encoding: .utf8)
    }

    func store(
        limit: Duration = .seconds(20), lockLimit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(TokenStoreError) -> SecretServiceTokenStore {
        try SecretServiceTokenStore(
            service: "strata", account: "default", lockPath: directory + "/locks/lock", environment: environment,
            recovery: "'shiftlog login' replaces it", advice: "set SHIFTLOG_TOKEN_STORE=file", limit: limit,
            lockLimit: lockLimit, clock: clock)
    }

    /// Written once for all tests: a file cannot be run while another child process still has it open for
    /// writing ("Text file busy").
    private static let program = Result {
        let path = NSTemporaryDirectory() + "strata-secret-tool-\(ProcessInfo.processInfo.processIdentifier)"
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private static var script: String {
        #"""
        #!/bin/sh
        PATH=/usr/bin:/bin
        dir=${0%/*}
        { echo "$*"; env; } >> "$dir/calls"
        verb=$1; shift
        case $1 in --label=*) shift;; esac
        item="$dir/items/$2.$4"
        case $(cat "$dir/mood") in
        noService)
            echo 'secret-tool: The name org.freedesktop.secrets was not provided by any .service files' >&2
            exit 1;;
        locked)
            case $verb in
            store) echo 'secret-tool: Cannot create an item in a locked collection' >&2;;
            search) [ -f "$item" ] && printf '[/1]\nlabel = l\n'; exit 0;;
            esac
            exit 1;;
        hang) exec sleep 600;;
        hangWithChild) sleep 600 & echo $! > "$dir/child"; wait;;
        garbage) printf '\033[31m\377\000garbage'; exit 0;;
        flood) while :; do echo 0123456789012345678901234567890123456789; done;;
        crash) printf 'Segmentation \033[1mfault\n' >&2; exit 139;;
        killed) kill -KILL $$;;
        silentFailure) exit 3;;
        deaf) exec <&-; exit 7;;
        esac
        case $verb in
        store) cat > "$item.$$" && mv "$item.$$" "$item";;
        lookup) [ -f "$item" ] && cat "$item";;
        search) [ -f "$item" ] && printf '[/1]\nlabel = l\n'; exit 0;;
        clear) [ -f "$item" ] && rm "$item";;
        esac
        """#
    }
}
