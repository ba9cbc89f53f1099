public import Observation
public import StrataDomain

/// Whether the server can be expected to be reached, for a view.
@Observable @MainActor
public final class ConnectivityModel {
    /// Known while it is followed; true before. A hint, as `Connectivity` says.
    public private(set) var isOnline = true

    @ObservationIgnored private let monitor: @Sendable () -> any ConnectivityMonitor

    /// - Parameter monitor: Made when it is followed.
    public init(_ monitor: @escaping @Sendable () -> any ConnectivityMonitor) { self.monitor = monitor }

    /// Follows the monitor until the task is cancelled.
    ///
    /// - Parameter returned: Called each time the network returns.
    public func follow(_ returned: () async -> Void = {}) async {
        for await state in monitor().states() {
            let isOnline = state == .online
            guard self.isOnline != isOnline else { continue }
            self.isOnline = isOnline
            if isOnline { await returned() }
        }
    }
}
