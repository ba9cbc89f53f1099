/// What one look at the kernel's tables found, and the rule that makes a state of it.
///
/// It keeps only the routes that concern what is to be reached, so a router with a full table costs no more than a laptop.
struct RouteTable: Sendable, Equatable {
    /// More links or routes than this are not kept; no host that a person works at has as many.
    static let capacity = 10_000

    private struct Numbered: Hashable {
        let link: Int32
        let family: IPAddress.Family
    }

    private let reach: Reach
    private var links: [Int32: LinkRecord] = [:]
    private var numbered: Set<Numbered> = []
    private var routes: [RouteRecord] = []

    init(_ reach: Reach) { self.reach = reach }

    mutating func add(_ message: RouteMessage) {
        switch message {
        case .link(let link) where links.count < Self.capacity: links[link.index] = link
        case .address(let address) where address.isUsable && numbered.count < Self.capacity:
            numbered.insert(Numbered(link: address.link, family: address.address.family))
        case .route(let route) where route.concerns(reach) && routes.count < Self.capacity: routes.append(route)
        default: break
        }
    }
}

extension RouteTable {
    /// Online when a route to what is to be reached goes out through a link that is up, is not the loopback, and has an
    /// address others can answer to.
    ///
    /// An address on the loopback will do for that, as on hosts whose links have none of their own. Of the routes to one
    /// address only the most specific count, as in the kernel; an address of this host itself is always reached.
    var isOnline: Bool {
        switch reach {
        case .thisHost: true
        case .anywhere: routes.contains(where: carries)
        case .address: mostSpecific.contains { $0.kind == .local || carries($0) }
        }
    }

    private var mostSpecific: [RouteRecord] {
        let longest = routes.map(\.prefix).max()
        return routes.filter { $0.prefix == longest }
    }

    private func carries(_ route: RouteRecord) -> Bool {
        guard route.kind == .unicast else { return false }
        return route.links.contains { index in
            guard let link = links[index], link.isUp, !link.isLoopback else { return false }
            return isNumbered(index, route.family) || loopbacks.contains { isNumbered($0, route.family) }
        }
    }

    private var loopbacks: [Int32] { links.values.filter(\.isLoopback).map(\.index) }

    private func isNumbered(_ link: Int32, _ family: IPAddress.Family) -> Bool {
        numbered.contains(Numbered(link: link, family: family))
    }
}
