import FoundationEssentials

/// A form as `multipart/form-data` (RFC 7578): fields and files in order, each streamed from its source.
///
/// To nest a form, use its body as the body of a part.
public struct MultipartForm: Sendable {
    /// The parts, in the order in which they are sent.
    public var parts: [FormPart]

    /// A form of these parts.
    public init(_ parts: [FormPart] = []) { self.parts = parts }

    /// The form as the body of a request. Its length is known when the length of every part is. It is replayable when
    /// every part is. No part is copied to memory or disk.
    ///
    /// - Parameter boundary: Stands between the parts and must not occur in them: 1 to 70 characters of RFC 2046, section
    ///   5.1.1. Default: a random one.
    /// - Throws: `.invalidRequest` for an illegal boundary, name or header.
    public func body(boundary: String? = nil) throws(NetworkError) -> UploadBody {
        var random = SystemRandomNumberGenerator()
        let boundary = boundary ?? Self.boundary(using: &random)
        try Self.check(boundary)
        var pieces: [FormPiece] = []
        for (index, part) in parts.enumerated() {
            let head = try part.head
            pieces.append(.bytes("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n\(head)"))
            pieces.append(.body(part.body, name: part.name))
        }
        pieces.append(.bytes("\(parts.isEmpty ? "" : "\r\n")--\(boundary)--\r\n"))
        return .stream(
            length: try Self.length(of: pieces), isReplayable: parts.allSatisfy(\.body.isReplayable),
            contentType: "multipart/form-data; boundary=\(Self.quoted(boundary))"
        ) { [pieces] in
            FormStream(pieces: pieces)
        }
    }

    /// A new boundary of 40 letters and digits, some 180 random bits.
    public static func boundary(using random: inout some RandomNumberGenerator) -> String {
        "strata-form-" + String((0..<28).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
    }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    private static func check(_ boundary: String) throws(NetworkError) {
        guard MediaType.isBoundary(boundary) else {
            throw NetworkError(
                .invalidRequest(
                    "'\(boundary)' is no boundary of a form; use 1 to 70 letters, digits or '()+_,-./:=? and no space at the end"
                ))
        }
    }

    /// As a parameter of a media type, in quotes unless it is a token.
    private static func quoted(_ boundary: String) -> String {
        boundary.isToken ? boundary : "\"\(boundary)\""
    }

    /// - Returns: `nil` when the length of a part is unknown.
    private static func length(of pieces: [FormPiece]) throws(NetworkError) -> Int? {
        var total = 0
        for piece in pieces {
            guard let length = piece.length else { return nil }
            let (sum, isTooLong) = total.addingReportingOverflow(length)
            guard length >= 0, !isTooLong else {
                throw NetworkError(.invalidRequest("a form part of \(length) bytes cannot be sent"))
            }
            total = sum
        }
        return total
    }
}
