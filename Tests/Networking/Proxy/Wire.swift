import NIOCore
import NIOPosix
import StrataConcurrency

/// A client that writes bytes and reads bytes.
final class Wire: Sendable {
    private struct State {
        var received = ""
        var isClosed = false
        var readers: [(isEnough: @Sendable (String) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let channel: any Channel
    private let state: Arrivals

    init(port: Int) async throws {
        let arrivals = Arrivals()
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(arrivals: arrivals))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        state = arrivals
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }
    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }
    func close() async { try? await channel.close().get() }

    /// Everything that has arrived, once `text` is in it or the connection has ended.
    func read(until text: String) async -> String { await state.read { $0.contains(text) } }

    /// Everything that has arrived, once the connection has ended.
    func readToEnd() async -> String { await state.read { _ in false } }

    /// Sends one request and reads all until the server ends the connection.
    static func exchange(_ text: String, port: Int) async throws -> String {
        let wire = try await Wire(port: port)
        try await wire.send(text)
        return await wire.readToEnd()
    }

    final class Arrivals: Sendable {
        private let state = Mutex(State())

        fileprivate func take(_ text: String?) {
            let ready = state.withLock { state in
                if let text { state.received += text } else { state.isClosed = true }
                let (received, isClosed) = (state.received, state.isClosed)
                let ready = state.readers.filter { isClosed || $0.isEnough(received) }.map(\.continuation)
                state.readers.removeAll { isClosed || $0.isEnough(received) }
                return ready
            }
            for continuation in ready { continuation.resume() }
        }

        fileprivate func read(_ isEnough: @escaping @Sendable (String) -> Bool) async -> String {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isClosed || isEnough(state.received) { return true }
                    state.readers.append((isEnough, continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
            return state.withLock(\.received)
        }
    }
}

private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    let arrivals: Wire.Arrivals

    init(arrivals: Wire.Arrivals) { self.arrivals = arrivals }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arrivals.take(String(buffer: unwrapInboundIn(data)))
    }
    func channelInactive(context: ChannelHandlerContext) { arrivals.take(nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
