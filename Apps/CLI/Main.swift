import StrataClientProgram

/// The command line. `Features` lists its commands and what works offline; all else is Strata's.
@main struct Main {
    static let program = ClientProgram(
        name: "shiftlog",
        release: Version.current,
        abstract: "An on-call journal with runbooks that works when the network does not.",
        defaultServer: "http://127.0.0.1:8080",
        // scaffold:only Journal
        localData: "journal",
        // scaffold:end-only
        commands: CommandSet.all,
        synchronised: Synchronised.all)

    static func main() async { await program.run() }
}
