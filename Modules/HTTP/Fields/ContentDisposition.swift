/// `Content-Disposition` of a response that a browser must save and never show (RFC 6266).
package enum ContentDisposition {
    /// The name twice: in ASCII for old clients, and exactly.
    package static func attachment(_ fileName: String) -> String {
        let plain = String(
            fileName.unicodeScalars.map { scalar in
                // Some clients decode a percent sign (RFC 6266, appendix D).
                (0x20...0x7E).contains(scalar.value) && !"\"\\%".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            })
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encode(fileName))"
    }
}
