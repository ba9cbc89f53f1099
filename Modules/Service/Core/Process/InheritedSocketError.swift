/// Why inherited sockets cannot be served.
public enum InheritedSocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The variable has no number that systemd would write.
    case malformed(variable: String, value: String)
    /// There are several sockets, and the service listens on one.
    case several(count: Int, names: String?)
    /// There is no descriptor with this number.
    case missing(descriptor: Int32)
    /// The descriptor is no socket.
    case noSocket(descriptor: Int32)
    /// The socket does not listen.
    case notListening(descriptor: Int32)

    public var description: String {
        switch self {
        case .malformed(let variable, let value):
            "\(variable) is '\(value.prefix(100))', which is not a number above 0; the service manager sets it, so leave it "
                + "unchanged or unset it."
        case .several(let count, let names):
            "LISTEN_FDS passes \(count) sockets\(Self.list(names)), but only one is served; leave one ListenStream= in the "
                + "socket unit."
        case .missing(let descriptor):
            "LISTEN_FDS passes a socket, but descriptor \(descriptor) is not open; start the server by its socket unit, "
                + "or unset LISTEN_FDS."
        case .noSocket(let descriptor):
            "Descriptor \(descriptor), passed by LISTEN_FDS, is not a socket; the socket unit needs one ListenStream=."
        case .notListening(let descriptor):
            "Descriptor \(descriptor), passed by LISTEN_FDS, is not a listening stream socket; the socket unit needs one "
                + "ListenStream= with an address, a port or a path, and Accept=no."
        }
    }

    private static func list(_ names: String?) -> String {
        guard let names, !names.isEmpty else { return "" }
        return " (" + names.prefix(200).split(separator: ":").joined(separator: ", ") + ")"
    }
}
