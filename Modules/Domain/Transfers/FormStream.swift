import FoundationEssentials

/// The pieces of a form on the wire.
enum FormPiece: Sendable {
    case bytes(Data)
    case body(UploadBody, name: String)

    static func bytes(_ text: String) -> FormPiece { .bytes(Data(text.utf8)) }

    /// Bytes; `nil` when unknown.
    var length: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .body(let body, _): body.length
        }
    }
}

/// The pieces of a form in order. A part is opened when the previous one ends, so one file is open at a time.
struct FormStream: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let pieces: [FormPiece]

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces) }

    struct Iterator: AsyncIteratorProtocol {
        private struct Part {
            var chunks: any AsyncIteratorProtocol<Data, any Error>
            let name: String
            let length: Int?
            var sent = 0
        }

        private let pieces: [FormPiece]
        private var index = 0
        private var part: Part?

        init(pieces: [FormPiece]) { self.pieces = pieces }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            while true {
                if part != nil {
                    if let chunk = try await nextOfPart(isolation: actor) { return chunk }
                    part = nil
                }
                guard index < pieces.count else { return nil }
                index += 1
                switch pieces[index - 1] {
                case .bytes(let bytes): return bytes
                case .body(let body, let name):
                    part = Part(chunks: try await body.open().makeAsyncIterator(), name: name, length: body.length)
                }
            }
        }

        /// A part of another length than announced would shift all following parts.
        private mutating func nextOfPart(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard var part else { return nil }
            let chunk = try await part.chunks.next(isolation: actor)
            part.sent += chunk?.count ?? 0
            if let length = part.length, part.sent > length || chunk == nil && part.sent < length {
                throw NetworkError(
                    .invalidRequest(
                        "part '\(part.name)' of the form was announced with \(length) bytes and has \(chunk == nil ? "" : "at least ")\(part.sent)"
                    ))
            }
            self.part = part
            return chunk
        }
    }
}
