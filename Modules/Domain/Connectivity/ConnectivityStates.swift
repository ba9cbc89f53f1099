/// The states for one observer: a slow observer gets the newest state only, and no state comes twice in a row.
public struct ConnectivityStates: AsyncSequence, Sendable {
    public typealias Element = Connectivity
    public typealias Failure = Never

    private let source: AsyncStream<Connectivity>

    /// - Parameter source: Buffers the newest element only.
    public init(_ source: AsyncStream<Connectivity>) { self.source = source }

    public func makeAsyncIterator() -> Iterator { Iterator(source: source.makeAsyncIterator()) }

    /// Reads the states, the present one first.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: AsyncStream<Connectivity>.Iterator
        private var last: Connectivity?

        fileprivate init(source: AsyncStream<Connectivity>.Iterator) { self.source = source }

        public mutating func next() async -> Connectivity? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Connectivity? {
            while let state = await source.next(isolation: actor) {
                // After missed states, the newest one may equal the last one that the observer saw.
                guard state != last else { continue }
                last = state
                return state
            }
            return nil
        }
    }
}
