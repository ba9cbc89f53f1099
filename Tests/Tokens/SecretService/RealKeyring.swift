import Foundation
import StrataTesting

/// A separate D-Bus session with an unlocked GNOME Keyring. It ends with the object.
// Sendable proof: every property is assigned in `init` only.
final class RealKeyring: @unchecked Sendable {
    private let process: Process
    private let input: Pipe
    private let home: TemporaryDirectory
    /// The processes of bus and keyring, which can outlive the shell.
    private let daemons: [pid_t]
    let environment: [String: String]

    static let isPossible = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    init?() throws {
        home = try TemporaryDirectory()
        let runtime = home.path + "/run"
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let own = ["PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_RUNTIME_DIR": runtime]
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-run-session")
        process.arguments = ["--", "/bin/sh", "-c", Self.script]
        process.environment = own
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said = ""
        while !said.contains("bus="), case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
            said += String(decoding: bytes, as: UTF8.self)
        }
        let numbers = said.split(separator: "\n").first { $0.hasPrefix("daemons=") }?.dropFirst(8) ?? ""
        daemons = numbers.split(separator: " ").compactMap { pid_t($0) }
        guard let line = said.split(separator: "\n").first(where: { $0.hasPrefix("bus=") }) else { return nil }
        environment = own.merging(["DBUS_SESSION_BUS_ADDRESS": String(line.dropFirst(4))]) { $1 }
    }

    /// Locks the collection, as a desktop does after a while without input.
    func lock() throws -> Bool {
        let call = Process()
        call.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-send")
        call.arguments = [
            "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
            "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login",
        ]
        call.environment = environment
        call.standardOutput = FileHandle.nullDevice
        try call.run()
        call.waitUntilExit()
        return call.terminationStatus == 0
    }

    deinit {
        // They inherit blocked signals, so only this signal ends them.
        for daemon in daemons { kill(daemon, SIGKILL) }
        try? input.fileHandleForWriting.close()
    }

    /// Waits for the name of the daemon on the bus. A request before that would start a second daemon.
    private static let script = """
        printf trial | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &
        daemon=$!
        until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
            string:org.freedesktop.secrets | grep -q 'boolean true'; do sleep 0.05; done
        echo "daemons=$daemon $(pgrep -P $PPID dbus-daemon)"
        echo "bus=$DBUS_SESSION_BUS_ADDRESS"
        read never
        kill $daemon
        """
}
