/// Where the kernel's tables come from.
protocol RouteSource: Sendable {
    /// Sends a request and hands each datagram of the answer to `receive`, until that returns `false` or throws.
    func ask(
        _ request: [UInt8], receive: @escaping @Sendable ([UInt8]) throws(NetlinkFault) -> Bool
    ) async throws(NetlinkFault)

    /// Hands over what the kernel tells without being asked, from now until the subscription is cancelled.
    func subscribe(_ receive: @escaping @Sendable (RouteNotice) -> Void) throws(NetlinkFault) -> RouteSubscription
}

/// Something the kernel told without being asked.
enum RouteNotice: Sendable, Hashable {
    case datagram([UInt8])
    /// Datagrams were lost.
    case overrun
    /// There will be no more.
    case ended

    /// Whether the state may be another now. It decides when to look again, so whatever cannot be read counts.
    func mayChange(_ reach: Reach) -> Bool {
        guard case .datagram(let bytes) = self else { return true }
        do throws(NetlinkFault) {
            for message in try NetlinkMessage.all(in: bytes) {
                switch try RouteMessage(message) {
                case .route(let route), .routeGone(let route): if route.concerns(reach) { return true }
                case .other, .done: break
                case .link, .linkGone, .address, .addressGone, .failure, .overrun: return true
                }
            }
            return false
        } catch {
            return true
        }
    }
}

/// Ends with this object, or before.
final class RouteSubscription: Sendable {
    private let end: Locked<(@Sendable () -> Void)?>
    init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }
    deinit { cancel() }

    func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
