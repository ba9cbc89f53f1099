/// Whether a server can be expected to be reached from here. A hint: what is sent may fail while online and succeed while
/// offline, so it decides when to try, never whether something is stored.
public enum Connectivity: String, Sendable, Hashable, CaseIterable {
    /// A network is there; none is there.
    case online, offline
}
