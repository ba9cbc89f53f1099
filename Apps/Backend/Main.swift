import StrataServerProgram

/// `shiftlog-server`: what every server of Strata has, with these settings, features and jobs.
@main struct ShiftlogServer {
    static let program = ServerProgram(
        name: "shiftlog-server", client: "shiftlog", release: release,
        abstract: "The backend of shiftlog: accounts, the features' resources, sync.",
        port: 8080,
        settings: [
            // A setting of a feature is a static constant of `Setting`, and a row here.
            // scaffold:only Attachments
            .attachmentDirectory, .attachmentBytes,
            // scaffold:end-only
        ],
        features: { Features($0, store: $1).list },
        jobs: { try Jobs($0, store: $1).list })

    static func main() async { await program.run() }
}

/// What features and jobs read settings from.
typealias Settings = StrataServerProgram.Settings
