import FoundationEssentials

/// One field or file of a form.
public struct FormPart: Sendable {
    /// Name of the field; several parts may share one.
    public let name: String
    /// The file name that is sent; `nil` for a plain field.
    public let fileName: String?
    /// Further header fields; `Content-Disposition` and `Content-Type` come from the other properties.
    public let headers: HeaderFields
    /// What the part contains.
    public let body: UploadBody

    /// A part of a form; with `fileName` a file.
    public init(_ name: String, fileName: String? = nil, headers: HeaderFields = [:], body: UploadBody) {
        self.name = name
        self.fileName = fileName
        self.headers = headers
        self.body = body
    }

    /// A text, sent as UTF-8 without a content type, as browsers do.
    public static func field(_ name: String, _ value: String) -> FormPart {
        FormPart(name, body: .bytes(Data(value.utf8)))
    }

    /// A file; a body without a content type is sent as `application/octet-stream` (RFC 7578, section 4.4).
    ///
    /// - Parameter fileName: Only the part after the last `/` is sent.
    public static func file(_ name: String, named fileName: String, _ body: UploadBody) -> FormPart {
        let name = (part: name, file: fileName.split(separator: "/").last.map(String.init) ?? fileName)
        return FormPart(name.part, fileName: name.file, body: body)
    }
}

extension FormPart {
    /// The header fields of this part and the empty line after them.
    ///
    /// - Throws: `.invalidRequest` for a name or value with an illegal character.
    var head: String {
        get throws(NetworkError) {
            var lines = "Content-Disposition: form-data; name=\"\(try Self.escaped(name, "the name"))\""
            if let fileName { lines += "; filename=\"\(try Self.escaped(fileName, "the file name"))\"" }
            lines += "\r\n"
            let type = body.contentType ?? (fileName == nil ? nil : "application/octet-stream")
            if let type { lines += try line("Content-Type", type) }
            for field in headers {
                for own in ["Content-Disposition", "Content-Type"] where field.name.equalsIgnoringCase(own) {
                    throw NetworkError(
                        .invalidRequest(
                            "part '\(name)' states '\(own)' among its headers; state it in its body or name"))
                }
                lines += try line(field.name, field.value)
            }
            return lines + "\r\n"
        }
    }

    private func line(_ name: String, _ value: String) throws(NetworkError) -> String {
        guard HeaderFields.Field(name, value).isSendable else {
            throw NetworkError(
                .invalidRequest("header '\(name)' of part '\(self.name)' has an illegal character in its name or value")
            )
        }
        return "\(name): \(value)\r\n"
    }

    /// Quotes and line breaks as every browser escapes them (HTML, section 4.10.21.8); other text stays UTF-8
    /// (RFC 7578, section 5.1).
    private static func escaped(_ text: String, _ what: String) throws(NetworkError) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                throw NetworkError(
                    .invalidRequest(
                        "\(what) of a form part has the control character U+\(String(scalar.value, radix: 16)); rename it"
                    ))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
