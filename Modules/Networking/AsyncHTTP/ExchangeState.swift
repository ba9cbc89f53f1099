import NIOCore
import NIOHTTP1
import StrataDomain

/// What has arrived of one response and was not read yet; it decides, and waits for nothing.
struct ExchangeState {
    /// Unread bytes from which on the connection is read no further.
    static let capacity = 64 * 1024

    private enum Ending {
        case open
        case whole
        /// What had arrived before can still be read.
        case broken(NetworkError)
        /// Ended from here.
        case stopped(NetworkError)
    }

    /// What a reader finds.
    enum Step {
        case chunks([ByteBuffer])
        case end
        case failure(NetworkError)
        case wait
    }

    private var ending = Ending.open
    private var unread: [ByteBuffer] = []
    private var unreadBytes = 0
    private(set) var head: HTTPResponseHead?

    /// Whether the connection is still at work for this exchange.
    var isOpen: Bool { if case .open = ending { true } else { false } }
    var isFull: Bool { unreadBytes >= Self.capacity }

    mutating func receive(_ head: HTTPResponseHead) {
        guard isOpen else { return }
        self.head = head
    }

    mutating func receive(_ chunk: ByteBuffer) {
        guard isOpen, chunk.readableBytes > 0 else { return }
        unread.append(chunk)
        unreadBytes += chunk.readableBytes
    }

    mutating func finish() {
        guard isOpen else { return }
        ending = .whole
    }

    /// The connection failed.
    mutating func fail(_ error: NetworkError) {
        guard isOpen else { return }
        ending = .broken(error)
    }

    /// Ends an exchange that is open from here, whatever is unread.
    ///
    /// - Returns: Whether the connection was at work for it, and has to be closed.
    mutating func stop(_ error: NetworkError) -> Bool {
        guard isOpen else { return false }
        discard(error)
        return true
    }

    /// Lets nothing be read any more.
    mutating func discard(_ error: NetworkError) {
        (ending, unread, unreadBytes) = (.stopped(error), [], 0)
    }

    /// The head, or why there is none; `nil` while it has to be waited for.
    var arrivedHead: Result<HTTPResponseHead, NetworkError>? {
        switch (ending, head) {
        case (.stopped(let error), _), (.broken(let error), nil): .failure(error)
        case (_, let head?): .success(head)
        case (_, nil): nil
        }
    }

    /// Whether a reader finds something: bytes, the end or a failure.
    var isReadable: Bool { !unread.isEmpty || !isOpen }

    /// Takes all that is there of the body.
    mutating func read() -> Step {
        if !unread.isEmpty {
            defer { (unread, unreadBytes) = ([], 0) }
            return .chunks(unread)
        }
        return switch ending {
        case .open: .wait
        case .whole: .end
        case .broken(let error), .stopped(let error): .failure(error)
        }
    }
}
