import FoundationEssentials
import StrataDomain

/// A request as a command line for curl, which a POSIX shell can run. It sends what the request says, and once.
struct CurlCommand {
    /// Bytes of a body that stand in the command: an argument can have 128 KiB on Linux.
    private static let longestText = 64 * 1024
    private static let longestBinary = 16 * 1024

    let request: ClientRequest
    let showsSecrets: Bool
    /// Whether `Authorization` holds no token, because it is not known.
    let isTokenUnknown: Bool
    private let redaction: MessageRedaction

    init(_ request: ClientRequest, showsSecrets: Bool, isTokenUnknown: Bool = false) {
        self.request = request
        self.showsSecrets = showsSecrets
        self.isTokenUnknown = isTokenUnknown
        redaction = MessageRedaction(request.context.secrets.redaction, request)
    }

    var text: String {
        var words = ["curl"]
        words += request.method == .head ? ["--head"] : ["--request", method]
        for field in request.headers where !Self.leftOut.contains(field.name.lowercased()) {
            words += ["--header", header(field)]
        }
        let body = bodyWords
        if body.words.isEmpty == false, request.headers[FieldName.contentType] == nil {
            // Else curl says that the body is a form.
            words += ["--header", "'\(FieldName.contentType):'"]
        }
        words += body.words
        // Curl would expand brackets, and remove dots between slashes.
        if request.url.target.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        if request.url.path.contains("/.") { words.append("--path-as-is") }
        return body.before + (words + [url]).joined(separator: " ")
    }

    /// Written by curl itself; and what it would have to decode.
    private static let leftOut = FieldName.framing.union(["accept-encoding"])

    private var method: String {
        let name = request.method.rawValue
        return name.utf8.allSatisfy { (65...90).contains($0) } ? name : ShellText.quoted(name)
    }

    // MARK: - Fields

    private func header(_ field: HeaderFields.Field) -> String {
        let isAuthorization = field.name.equalsIgnoringCase(FieldName.authorization)
        guard showsSecrets && !(isAuthorization && isTokenUnknown) else {
            return redaction.isCredential(field.name)
                ? masked(field, isAuthorization) : line(field.name, redaction.value(field))
        }
        return line(field.name, field.value)
    }

    /// A field without a value ends with a semicolon; with a colon curl would leave it out.
    private func line(_ name: String, _ value: String) -> String {
        ShellText.quoted(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }

    /// The scheme stays, and a variable stands for the rest.
    private func masked(_ field: HeaderFields.Field, _ isAuthorization: Bool) -> String {
        let words = field.value.split(separator: " ", maxSplits: 1)
        let scheme = isAuthorization && words.count == 2 ? "\(words[0]) " : ""
        return ShellText.quoted("\(field.name): \(scheme)") + ShellText.variable(isAuthorization ? "TOKEN" : field.name)
    }

    // MARK: - URL

    private var url: String {
        guard !showsSecrets, let query = request.url.query else {
            return ShellText.quoted(showsSecrets ? request.url.description : redaction.url(request.url.description))
        }
        var parts: [String] = []
        var plain = redaction.url("\(request.url.origin)\(request.url.path)") + "?"
        for (place, item) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            if place > 0 { plain += "&" }
            let name = item.prefix { $0 != "=" }
            let decoded = PercentEncoding.decode(name, plusIsSpace: true)
            guard decoded.map(redaction.redaction.isSensitive) ?? true else {
                plain += redaction.url(String(item))
                continue
            }
            parts += [ShellText.quoted("\(plain)\(name)="), ShellText.variable(decoded ?? "")]
            plain = ""
        }
        if !plain.isEmpty { parts.append(ShellText.quoted(plain)) }
        return parts.joined()
    }

    // MARK: - Body

    /// What gives the body to curl, and what stands before the command for it.
    private var bodyWords: (before: String, words: [String]) {
        guard let body = request.body else { return ("", []) }
        guard let given = body.bytes else { return fromFile(body.length) }
        let bytes = showsSecrets ? given : redaction.body(given, contentType: request.headers[FieldName.contentType])
        if let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(Self.isPasted) {
            guard bytes.count <= Self.longestText else { return fromFile(bytes.count) }
            // `--data-binary @name` would read a file.
            return ("", [bytes.first == UInt8(ascii: "@") ? "--data-raw" : "--data-binary", ShellText.quoted(text)])
        }
        guard bytes.count <= Self.longestBinary else { return fromFile(bytes.count) }
        return ("\(ShellText.printing(bytes)) | ", ["--data-binary", "@-"])
    }

    /// Whether a terminal shows a scalar and takes it back as it is: no control character and no bidirectional override.
    private static func isPasted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: true
        case 0x202A...0x202E, 0x2066...0x2069: false
        default: scalar.properties.generalCategory != .control
        }
    }

    private func fromFile(_ size: Int?) -> (before: String, words: [String]) {
        let size = size.map { ", \($0) bytes," } ?? ""
        return ("# Put the body\(size) into the file 'body'.\n", ["--data-binary", "@body"])
    }
}

extension ClientRequest {
    /// The request as a command that a POSIX shell can run: `curl --request GET --header … 'https://…'`.
    ///
    /// Variables of the shell stand for credentials: `"$TOKEN"` in `Authorization`, else the name in capitals, such as
    /// `"$X_API_KEY"`. A secret elsewhere, in a body too, is masked. A body that is no plain text comes from `printf`; a stream,
    /// and more than 64 KiB of text or 16 KiB of other bytes, from a file that a comment names. `Accept-Encoding` is left out.
    /// The command follows no redirect and does not retry.
    public var curl: String { curl(showingSecrets: false) }

    /// `curl` with all secrets, for the eyes of their owner only: never for a log.
    public func curl(showingSecrets: Bool) -> String { CurlCommand(self, showsSecrets: showingSecrets).text }
}
