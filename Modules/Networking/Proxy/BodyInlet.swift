import FoundationEssentials
import NIOCore
import StrataDomain

/// The bytes of one body on their way from an event loop to the task that reads them.
///
/// Belongs to the event loop of its channel. Holds a few buffers; beyond that the channel must not be read.
struct BodyInlet {
    typealias Sequence = NIOThrowingAsyncSequenceProducer<ByteBuffer, any Error, Strategy, Demand>
    typealias Strategy = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark

    private let source: Sequence.Source

    /// - Parameters:
    ///   - more: Called on any thread when the reader can take more.
    /// - Returns: The inlet, and the bytes for one reader.
    static func open(more: @escaping @Sendable () -> Void) -> (inlet: BodyInlet, chunks: BodyChunks) {
        let made = Sequence.makeSequence(
            elementType: ByteBuffer.self, failureType: (any Error).self,
            backPressureStrategy: Strategy(lowWatermark: 2, highWatermark: 8), finishOnDeinit: true,
            delegate: Demand(more: more))
        return (BodyInlet(source: made.source), BodyChunks(base: made.sequence))
    }

    /// - Returns: Whether the channel may be read on.
    func take(_ buffer: ByteBuffer) -> Bool {
        switch source.yield(buffer) {
        case .produceMore, .dropped: true
        case .stopProducing: false
        }
    }

    func finish() { source.finish() }
    func fail(_ error: any Error) { source.finish(error) }

    struct Demand: NIOAsyncSequenceProducerDelegate {
        let more: @Sendable () -> Void
        func produceMore() { more() }
        /// Nobody reads any more: what still comes is dropped until the connection ends.
        func didTerminate() { more() }
    }
}

/// A body as chunks; can be read once.
struct BodyChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: BodyInlet.Sequence

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var base: BodyInlet.Sequence.AsyncIterator

        // Concurrent, because the producer's own iterator is.
        @concurrent mutating func next() async throws -> Data? {
            let buffer: ByteBuffer?
            do { buffer = try await base.next() } catch { throw NetworkError(socket: error) }
            // A cancelled task may see the end of the sequence; half a body must not pass for a whole one.
            if buffer == nil, Task.isCancelled { throw NetworkError(.cancelled) }
            return buffer.map { Data($0.readableBytesView) }
        }
    }
}

/// Whether a channel may be read, for a handler that asks before each read.
struct ReadGate {
    private var isHeld = false
    private var isWaiting = false

    /// - Returns: Whether to read now; if not, `open` says so later.
    mutating func mayRead() -> Bool {
        guard isHeld else { return true }
        isWaiting = true
        return false
    }

    mutating func hold() { isHeld = true }

    /// - Returns: Whether a read was asked for meanwhile.
    mutating func open() -> Bool {
        defer { (isHeld, isWaiting) = (false, false) }
        return isWaiting
    }

    var isClosed: Bool { isHeld }
}
