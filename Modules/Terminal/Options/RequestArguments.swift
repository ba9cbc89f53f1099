import ArgumentParser
import StrataDomain

/// Checks the arguments of a request before it is sent.
enum RequestArguments {
    /// - Throws: A usage error unless `target` is a path of the server or an absolute URL.
    static func check(target: String) throws {
        if target.hasPrefix("/"), !target.hasPrefix("//") { return }
        let lowered = target.lowercased()
        guard !lowered.hasPrefix("http://"), !lowered.hasPrefix("https://") else { return }
        // The part before an @ and the query may contain a password.
        let isShowable = !target.isEmpty && !target.hasPrefix("//") && target.utf8.allSatisfy(Self.isPlain)
        guard !target.contains("://") else {
            throw ValidationError("Only http:// and https:// URLs can be requested.")
        }
        throw ValidationError(
            isShowable
                ? "'\(target)' has no scheme. Write http://\(target) or https://\(target); a path of the server begins with '/'."
                : "The URL has no scheme. Write https://HOST/PATH, or a path of the server such as /v1/me.")
    }

    /// The characters of a host, a port and a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
        default: Array("-._~:/".utf8).contains(byte)
        }
    }

    /// The header fields in `lines`, each `Name: value`; an empty value is legal.
    ///
    /// - Throws: A usage error that shows only the name: the value may be a credential.
    static func headers(_ lines: [String]) throws -> HeaderFields {
        var fields = HeaderFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else {
                let word = line.prefix { !$0.isWhitespace }
                let shown = word.count < line.count ? "\(word) …" : line
                throw ValidationError("Header '\(SafeText.oneLine(shown))' has no colon. Write -H 'Name: value'.")
            }
            let name = line[..<colon]
            guard name.isToken else {
                throw ValidationError(
                    "'\(SafeText.oneLine(String(name)))' is no header name. Write -H 'Name: value'; a name has letters, "
                        + "digits and hyphens.")
            }
            let value = line[line.index(after: colon)...].utf8.drop(while: \.isFieldWhitespace)
            guard value.allSatisfy(\.isFieldValueByte) else {
                throw ValidationError(
                    "The value of header '\(name)' has a line break or another control character. Remove it.")
            }
            fields.add(String(name), String(Substring(value)))
        }
        return fields
    }

    /// - Throws: A usage error that names `option` unless `seconds` is a positive, finite time.
    static func check(seconds: Double?, _ option: String) throws {
        guard let seconds, !(seconds > 0 && seconds <= 86_400) else { return }
        throw ValidationError("\(option) must be more than 0 and at most 86400 seconds; it is \(seconds).")
    }

    static func check(_ number: Int?, _ option: String, in range: ClosedRange<Int>) throws {
        guard let number, !range.contains(number) else { return }
        throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound); it is \(number).")
    }
}
