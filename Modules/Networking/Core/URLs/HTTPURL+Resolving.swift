import StrataDomain

extension HTTPURL {
    /// The URL that `reference` means where this one was asked (RFC 3986, section 5.2); a fragment is dropped.
    ///
    /// Spaces and characters beyond ASCII are percent-encoded, as browsers do with a careless `Location`.
    ///
    /// - Throws: A sentence for control characters, user information, or a scheme other than http and https.
    package func resolving(_ reference: String) throws(OptionsError) -> HTTPURL {
        guard reference.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw OptionsError("The reference contains a control character.")
        }
        let reference = Self.escaped(String(reference.prefix { $0 != "#" }))
        if let scheme = Self.scheme(of: reference) {
            guard reference.dropFirst(scheme.utf8.count).hasPrefix("://") else {
                throw OptionsError(
                    "Behind its scheme '\(scheme)' there is no host; only http:// and https:// are followed.")
            }
            return try HTTPURL(reference).withoutDots
        }
        if reference.hasPrefix("//") { return try HTTPURL("\(origin.scheme):\(reference)").withoutDots }
        var target = self
        guard !reference.isEmpty else { return target }
        let path = reference.prefix { $0 != "?" }
        target.query = path.count < reference.count ? String(reference.dropFirst(path.count + 1)) : nil
        if path.hasPrefix("/") {
            target.path = String(path)
        } else if !path.isEmpty {
            let folder = self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
            target.path = String(folder + path)
        }
        return target.withoutDots
    }

    /// Without `.` and `..` segments (RFC 3986, section 5.2.4).
    private var withoutDots: HTTPURL {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                kept = kept.dropLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return HTTPURL(origin: origin, path: "/" + kept.joined(separator: "/"), query: query)
    }

    /// The letters before the first colon, if they are a scheme (RFC 3986, section 3.1).
    private static func scheme(of reference: String) -> Substring? {
        reference.prefixMatch(of: /([A-Za-z][A-Za-z0-9+.\-]*):/)?.1
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            result += isURLByte(byte) ? String(Unicode.Scalar(byte)) : "%" + CollectionOfOne(byte).hex.uppercased()
        }
    }
}
