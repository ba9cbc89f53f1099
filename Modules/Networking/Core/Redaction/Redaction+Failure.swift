import FoundationEssentials
import StrataDomain

extension Redaction {
    /// A failed response as a text: status, fields, and the beginning of a JSON or form body. Masked are all fields that may hold
    /// a credential or ask for one, and what stands under sensitive names.
    ///
    /// - Parameter scrub: Takes the secrets of the call out of the body before it is cut, or half of one would remain.
    func text(of head: ResponseHead, _ bytes: Data, scrub: (String) -> String = { $0 }) -> String {
        let fields = headers(head.headers).map { field in
            "\(field.name): \(HeaderFields.isCredential(field.name, self) ? Self.mask : field.value)"
        }
        let body = preview(
            Data(scrub(String(decoding: Self.unescaped(bytes), as: UTF8.self)).utf8),
            contentType: head.headers[FieldName.contentType])
        return (["status \(head.status)"] + fields + (body.isEmpty ? [] : [Self.plain(body, of: bytes)]))
            .joined(separator: "\n")
    }

    /// JSON may write `/` as `\/`, and then the secrets of a call would not be found.
    private static func unescaped(_ bytes: Data) -> Data {
        Data(String(decoding: bytes, as: UTF8.self).replacing(#"\/"#, with: "/").utf8)
    }

    /// A shown text with another escape may be a secret in disguise.
    private static func plain(_ body: String, of bytes: Data) -> String {
        body.utf8.contains(UInt8(ascii: "\\")) ? "<\(bytes.count) bytes>" : body
    }
}
