/// One run with a Strata backend: its model and the devices.
// Sendable proof: only the thread of the scheduler touches it.
final class World: Run, @unchecked Sendable {
    let server = ModelServer()
    let bug: PlantedBug?
    let isClockPerfect: Bool
    /// Half of the servers have no snapshot endpoint.
    let offersSnapshots: Bool
    var devices: [Device] = []

    init(seed: UInt64, bug: PlantedBug?, isClockPerfect: Bool, keepsTrace: Bool) {
        self.bug = bug
        self.isClockPerfect = isClockPerfect
        offersSnapshots = seed % 2 == 0
        super.init(seed: seed, keepsTrace: keepsTrace)
        server.forgetsResults = bug == .forgottenResult
    }
}

/// A defect around the engine that the simulation must find.
enum PlantedBug: String, CaseIterable, Sendable {
    /// The disk confirms a local write and loses it.
    case lostWrite
    /// The server does not store its results.
    case forgottenResult
    /// A page lacks its last row, but has the cursor of the complete page.
    case shortPage
    /// Writes of one row are sent in reverse order.
    case reversedLane
    /// One refused write blocks all writes of its device.
    case blockingPoison
    /// Long waits never end.
    case deadTimer
    /// Deletions are not delivered.
    case deafToDeletions
    /// The end of a replacement round deletes unsynchronised writes.
    case greedyReplacement
    /// The displayed row lacks a queued edit.
    case staleRow
    /// Changes with a time before this device's clock are skipped.
    case clockDecides
    /// The engine does not compare rows.
    case noVerification
}
