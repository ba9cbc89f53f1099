#if All || AsyncHTTP || Client
    import NIOCore
    import StrataConcurrency

    /// What a server has seen, and the connections it has.
    final class LoopbackRecord: Sendable {
        struct Open: Sendable {
            let channel: any Channel
            /// Ends after the last script of the connection.
            let work: Task<Void, Never>

            func end() {
                work.cancel()
                channel.close(promise: nil)
            }
        }

        struct State {
            var requests: [LoopbackServer.Request] = []
            var count = 0
            var opened = 0
            var closed = 0
            var open: [ObjectIdentifier: Open] = [:]
            var isStopped = false
        }

        let state = Mutex(State())

        /// - Returns: `false` when the server has stopped or has too many connections.
        func opened(_ connection: Open) -> Bool {
            state.withLock { state in
                state.opened += 1
                guard !state.isStopped, state.open.count < 1024 else { return false }
                state.open[ObjectIdentifier(connection.channel)] = connection
                return true
            }
        }

        func closed(_ channel: any Channel) { state.withLock { $0.closed += 1 } }
        func done(_ channel: any Channel) { state.withLock { $0.open[ObjectIdentifier(channel)] = nil } }

        func request(head: String, bytes: [UInt8]) -> LoopbackServer.Request {
            state.withLock { state in
                state.count += 1
                let request = LoopbackServer.Request(number: state.count, head: head, bytes: bytes)
                if state.requests.count < 100_000 { state.requests.append(request) }
                return request
            }
        }

        /// - Returns: The connections that are still to be ended. No other follows them.
        func close() -> [Open] {
            state.withLock { state in
                state.isStopped = true
                return Array(state.open.values)
            }
        }
    }

    /// Collects the bytes of one connection into requests, for which one task runs the script in turn.
    // Sendable proof: a channel handler lives on its channel's event loop; NIO calls it there only.
    final class RequestReader: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private var bytes: [UInt8] = []
        private var head: Head?
        /// Bytes of the body in which its end was not found.
        private var searched = 0
        private var ignoresRest = false
        private let script: LoopbackServer.Script
        private let record: LoopbackRecord
        private let (requests, sink) = AsyncStream.makeStream(of: LoopbackServer.Request.self)

        init(_ script: LoopbackServer.Script, _ record: LoopbackRecord) {
            (self.script, self.record) = (script, record)
        }

        func channelActive(context: ChannelHandlerContext) {
            let (channel, script, requests, record) = (context.channel, script, requests, record)
            let work = Task {
                for await request in requests {
                    // What a script throws is the end of its connection.
                    do { try await script.respond(request, LoopbackServer.Connection(channel: channel)) } catch {
                        break
                    }
                }
                try? await channel.close().get()
                record.done(channel)
            }
            let connection = LoopbackRecord.Open(channel: channel, work: work)
            if !record.opened(connection) { connection.end() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            sink.finish()
            record.closed(context.channel)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !ignoresRest else { return }
            bytes += unwrapInboundIn(data).readableBytesView
            // The handshake of TLS, for which this server has no identity.
            if head == nil, bytes.first == 0x16 {
                ignoresRest = true
                if script.isSilent { return }
                context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")), promise: nil)
                return context.close(promise: nil)
            }
            while !ignoresRest, let request = next() { sink.yield(request) }
            if head == nil ? bytes.count > 65_536 : bytes.count > 64 << 20 { context.close(promise: nil) }
        }

        /// The first request of what has arrived, once it is whole.
        private func next() -> LoopbackServer.Request? {
            if head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = Head(text: String(decoding: bytes[..<end.lowerBound], as: UTF8.self))
                bytes.removeSubrange(..<end.upperBound)
                searched = 0
            }
            guard let head, let length = script.atHead ? 0 : head.length(in: bytes, from: searched) else {
                // The end may have begun to arrive.
                searched = max(0, bytes.count - 6)
                return nil
            }
            let body = Array(bytes.prefix(length))
            bytes.removeFirst(length)
            ignoresRest = script.atHead
            self.head = nil
            return record.request(head: head.text, bytes: body)
        }

        private struct Head {
            let text: String
            private let announced: Int
            private let isChunked: Bool

            init(text: String) {
                self.text = text
                let request = LoopbackServer.Request(number: 0, head: text, bytes: [])
                announced = max(0, request.values("Content-Length").first.flatMap { Int($0) } ?? 0)
                isChunked = request.values("Transfer-Encoding").contains { $0.lowercased() == "chunked" }
            }

            /// Bytes of the body, chunk lines included; `nil` while it is not whole. Trailers are not understood.
            ///
            /// - Parameter start: The end of the body is not before it.
            func length(in bytes: [UInt8], from start: Int) -> Int? {
                guard isChunked else { return bytes.count >= announced ? announced : nil }
                if bytes.starts(with: "0\r\n\r\n".utf8) { return 5 }
                return bytes[start...].firstRange(of: Array("\r\n0\r\n\r\n".utf8))?.upperBound
            }
        }
    }

    /// Ends a connection below TLS, which gets no chance to end itself.
    final class ConnectionBreaker: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        struct Now: Sendable {}

        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard event is Now else { return context.triggerUserOutboundEvent(event, promise: promise) }
            context.close(promise: promise)
        }
    }
#endif
