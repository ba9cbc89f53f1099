import FoundationEssentials
import NIOCore
import StrataDomain

/// A form that is being received: its parts one after the other, in constant memory, as fast as they are taken.
public final class UploadForm {
    private let source: UploadSource
    private var scanner: MultipartScanner
    private var isInPart = false
    private var isOver = false

    init(_ source: UploadSource, boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.source = source
        scanner = MultipartScanner(boundary, limits: limits)
    }

    /// The next part; what was left of the one before is dropped. `nil` behind the last.
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

    /// What `receive` made of the one part of the form, which is a file with the given name.
    ///
    /// - Throws: 422 naming the field, for a form without this file, or with anything else.
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
        guard !isOver else { return nil }
        while true {
            if let event = try scanner.next() {
                isInPart = event.isInPart
                if event != .end { return event }
            } else if let piece = try await source.next() {
                scanner.feed(piece)
            } else {
                _ = try scanner.finish()
                isOver = true
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
