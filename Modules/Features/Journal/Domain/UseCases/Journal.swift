package import FoundationEssentials
package import StrataDomain

/// What can be done with the journal; built once over a repository and handed to commands and view models.
package struct Journal: Sendable {
    package let add: AddEntry
    package let edit: EditEntry
    package let remove: RemoveEntry
    package let read: ReadEntry
    package let browse: BrowseJournal
    package let importLog: ImportLog
    package let report: WriteReport
    /// Gives what was just written a short moment to reach the server; never fails and never takes long.
    package let settle: @Sendable () async -> Void

    /// - Parameters:
    ///   - identity: Names imported lines so that importing them again adds nothing.
    ///   - timeZone: In which log files without an offset tell the time. Default: the system's.
    ///   - settle: Default: nothing, what is written waits for the next run of the sync engine.
    package init(
        _ repository: any JournalRepository, identity: any LineIdentity, clock: any WallClock = SystemWallClock(),
        timeZone: TimeZone = .current, settle: @escaping @Sendable () async -> Void = {}
    ) {
        add = AddEntry(repository, clock: clock)
        edit = EditEntry(repository, clock: clock)
        remove = RemoveEntry(repository)
        read = ReadEntry(repository)
        browse = BrowseJournal(repository)
        importLog = ImportLog(repository, identity: identity, clock: clock, timeZone: timeZone)
        report = WriteReport(repository, clock: clock)
        self.settle = settle
    }
}
