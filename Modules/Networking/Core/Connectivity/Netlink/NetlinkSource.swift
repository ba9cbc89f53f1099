#if os(Linux)
    import Dispatch
    import StrataSystem

    /// The tables of the running kernel. Its sockets are read on a queue of their own, never on a task's thread.
    struct NetlinkSource: RouteSource {
        /// Makes a socket that is told of `groups`.
        typealias Open = @Sendable (_ groups: UInt32) throws(NetlinkFault) -> NetlinkSocket

        /// An answer comes from memory; this ends waiting for a kernel that has none.
        private static let patience: Int32 = 2000

        private let queue = DispatchQueue(label: "strata.connectivity")
        private let open: Open

        /// - Parameter open: Default: in the network namespace of the calling thread.
        init(open: @escaping Open = { groups throws(NetlinkFault) in try NetlinkSocket(groups: groups) }) {
            self.open = open
        }

        func ask(
            _ request: [UInt8], receive: @escaping @Sendable ([UInt8]) throws(NetlinkFault) -> Bool
        ) async throws(NetlinkFault) {
            let result = await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: Result { () throws(NetlinkFault) in
                            try exchange(request, receive)
                        })
                }
            }
            try result.get()
        }

        private func exchange(
            _ request: [UInt8], _ receive: ([UInt8]) throws(NetlinkFault) -> Bool
        ) throws(NetlinkFault) {
            let socket = try open(0)
            try socket.send(request)
            while true {
                switch try socket.receive() {
                case .datagram(let bytes): guard try receive(bytes) else { return }
                case .overrun: throw .system(call: "recvfrom", code: ENOBUFS)
                case .nothing: try socket.wait(milliseconds: Self.patience)
                }
            }
        }

        func subscribe(
            _ receive: @escaping @Sendable (RouteNotice) -> Void
        ) throws(NetlinkFault) -> RouteSubscription {
            let socket = try open(NetlinkSocket.changes)
            let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            let handle = Handle(source)
            source.setEventHandler {
                do throws(NetlinkFault) {
                    while true {
                        switch try socket.receive() {
                        case .datagram(let bytes): receive(.datagram(bytes))
                        case .overrun: receive(.overrun)
                        case .nothing: return
                        }
                    }
                } catch {
                    // A descriptor in error would be reported again and again.
                    handle.source.cancel()
                    receive(.ended)
                }
            }
            // The socket stays open until the queue has let go of it.
            source.setCancelHandler { withExtendedLifetime(socket) {} }
            source.activate()
            return RouteSubscription { handle.source.cancel() }
        }
    }

    // Sendable proof: after activation only `cancel` is called, which Dispatch allows from any thread.
    private final class Handle: @unchecked Sendable {
        let source: any DispatchSourceRead
        init(_ source: any DispatchSourceRead) { self.source = source }
    }
#endif
