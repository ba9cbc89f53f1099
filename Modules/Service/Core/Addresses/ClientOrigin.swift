import HTTPTypes
import StrataHTTP
import StrataSystem

#if !All
    #error("StrataService needs the trait 'All': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The client of a request: the peer of the socket, or the client that trusted proxies report.
struct ClientOrigin: Sendable, Hashable {
    /// The address of the client, or the obfuscated name a proxy gave it; empty when there is none.
    var address: String
    /// `http` or `https` between the client and the outermost proxy.
    var scheme: String?
    /// Host and port that the client requested.
    var host: String?

    /// The report of one proxy.
    fileprivate struct Hop {
        var node: ForwardedNode
        var scheme: String?
        var host: String?
    }
}

extension TrustedProxies {
    /// The client of a request.
    ///
    /// The header fields count only when the peer is trusted. Hops are read from the right, from the last proxy towards the
    /// client. The first hop that is not trusted is the client; fields to its left may be forged. A proxy that hides its
    /// client counts as the client.
    ///
    /// If the request has both `Forwarded` and `X-Forwarded-For`, they must name the same client. Otherwise one of them
    /// passed through a proxy that writes only the other, and the peer counts as the client.
    func origin(peer: String, headers: HTTPFields) -> ClientOrigin {
        guard contains(peer: peer) else { return ClientOrigin(address: peer) }
        let standard = headers[values: .forwarded]
        let usual = headers[values: .xForwardedFor]
        let told = standard.isEmpty ? nil : walk(ClientOrigin.hops(forwarded: standard), from: peer)
        if usual.isEmpty, let told { return told }
        let alsoTold = walk(ClientOrigin.hops(headers, usual), from: peer)
        guard let told else { return alsoTold }
        guard told.address == alsoTold.address else { return ClientOrigin(address: peer) }
        return ClientOrigin(
            address: told.address, scheme: told.scheme ?? alsoTold.scheme, host: told.host ?? alsoTold.host)
    }

    private func walk(_ hops: [ClientOrigin.Hop], from peer: String) -> ClientOrigin {
        var origin = ClientOrigin(address: peer)
        for hop in hops.reversed() {
            origin.scheme = hop.scheme ?? origin.scheme
            origin.host = hop.host ?? origin.host
            switch hop.node {
            case .unknown: return origin
            case .obfuscated(let name):
                origin.address = name
                return origin
            case .address(let address):
                origin.address = address.description
                guard contains(address) else { return origin }
            }
        }
        return origin
    }
}

extension ClientOrigin {
    fileprivate static func hops(forwarded values: [String]) -> [Hop] {
        // A malformed field is not trusted at all: it counts as one hop with a hidden client.
        guard let field = ForwardedField(values) else { return [Hop(node: .unknown)] }
        return field.elements.map { element in
            Hop(
                node: element["for"].map { ForwardedNode($0) } ?? .unknown, scheme: scheme(element["proto"]),
                host: host(element["host"]))
        }
    }

    /// `X-Forwarded-For`, `-Proto` and `-Host`, the fields before RFC 7239. Scheme and host belong to the hop at the same
    /// index; if their number differs, the last one belongs to the last hop.
    fileprivate static func hops(_ headers: HTTPFields, _ clients: [String]) -> [Hop] {
        var hops = list(clients).map { Hop(node: ForwardedNode($0)) }
        let schemes = list(headers[values: .xForwardedProto])
        let hosts = list(headers[values: .xForwardedHost])
        if hops.isEmpty, !schemes.isEmpty || !hosts.isEmpty { hops = [Hop(node: .unknown)] }
        for place in hops.indices {
            let isLast = place == hops.count - 1
            hops[place].scheme = scheme(schemes.count == hops.count ? schemes[place] : isLast ? schemes.last : nil)
            hops[place].host = host(hosts.count == hops.count ? hosts[place] : isLast ? hosts.last : nil)
        }
        return hops
    }

    private static func list(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map(\.trimmed).filter { !$0.isEmpty }
    }

    private static func scheme(_ text: (some StringProtocol)?) -> String? {
        text.map { $0.lowercased() }.flatMap { ["http", "https"].contains($0) ? $0 : nil }
    }

    private static func host(_ text: (some StringProtocol)?) -> String? {
        text.map { String($0) }.flatMap { Authority($0) == nil ? nil : $0 }
    }
}
