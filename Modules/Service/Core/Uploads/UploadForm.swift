import FoundationEssentials
import NIOCore
import StrataDomain

/// A form while it is received: its parts in order, in constant memory, as fast as the caller takes them.
public final class UploadForm {
    private let source: () async throws -> ByteBuffer?
    private var scanner: MultipartScanner
    private var isInPart = false
    private var hasEnded = false

    /// - Parameter source: The next bytes of the body; `nil` at its end.
    init(
        boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits(),
        _ source: @escaping () async throws -> ByteBuffer?
    ) {
        self.source = source
        scanner = MultipartScanner(boundary, limits: limits)
    }

    /// The next part; unread bytes of the part before it are dropped. `nil` after the last.
    ///
    /// - Throws: 400 `malformed_multipart`, 408, 413; what the connection throws.
    public func nextPart() async throws -> MultipartHead? {
        while let event = try await nextEvent() {
            if case .part(let head) = event { return head }
        }
        return nil
    }

    /// The next bytes of the current part, never empty; `nil` at its end.
    func nextBytes() async throws -> ByteBuffer? {
        guard isInPart, case .bytes(let bytes) = try await nextEvent() else { return nil }
        return bytes
    }

    /// What `receive` returns for the only part of the form, a file of the given name.
    ///
    /// - Throws: 422 naming the field for a form without this file, or with any other part.
    public func onlyFile<Result>(
        _ name: String, _ receive: (MultipartHead, UploadForm) async throws -> Result
    ) async throws -> Result {
        guard let head = try await nextPart() else { throw Self.refusal(name, "is missing; send one file") }
        guard head.name == name else { throw Self.refusal(head.name, "is not expected here; send one file '\(name)'") }
        guard head.fileName != nil else { throw Self.refusal(name, "must be a file: its part needs a filename") }
        let result = try await receive(head, self)
        if let other = try await nextPart() {
            let message = other.name == name ? "must be sent once" : "is not expected here; send one file '\(name)'"
            throw Self.refusal(other.name, message)
        }
        return result
    }

    private func nextEvent() async throws -> MultipartScanner.Event? {
        guard !hasEnded else { return nil }
        while true {
            if let event = try scanner.next() {
                isInPart = event.isInPart
                if event != .end { return event }
            } else if let bytes = try await source() {
                scanner.feed(bytes)
            } else {
                _ = try scanner.finish()
                hasEnded = true
                return nil
            }
        }
    }

    private static func refusal(_ field: String, _ message: String) -> ServiceError {
        .validation([FieldError(field: String(field.prefix(100)), message: message)])
    }
}

extension MultipartScanner.Event {
    fileprivate var isInPart: Bool {
        switch self {
        case .part, .bytes: true
        case .endOfPart, .end: false
        }
    }
}
