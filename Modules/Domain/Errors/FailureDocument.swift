import FoundationEssentials

/// What a failure in JSON says, whichever API wrote it.
///
/// Read are problem documents (RFC 9457), OAuth (RFC 6749), `message` with `errors` (GitHub, Laravel), `error` with an object (Google,
/// Stripe, Microsoft Graph) or a text (Spring), `detail` with a text or a list (Django, FastAPI), `Status` (Kubernetes), `__type`
/// (AWS), JSON:API, and a list of such objects (Salesforce).
struct FailureDocument {
    private let status: Int
    private let headers: HeaderFields
    private let members: [String: JSONValue]
    /// The object that holds the explanation in place of the root; empty without one.
    private let inner: [String: JSONValue]
    private let fields: FieldErrors

    /// - Returns: `nil` for a body that is no JSON, and for JSON that is neither an object nor a list of objects.
    init?(status: Int, headers: HeaderFields, bytes: Data) {
        guard Self.isJSON(headers["Content-Type"] ?? ""), let value = try? WireJSON.decode(JSONValue.self, from: bytes)
        else { return nil }
        switch value {
        case .object(let members): self.members = members
        case .array(let items) where items.contains { $0.object != nil }: members = ["errors": value]
        default: return nil
        }
        self.status = status
        self.headers = headers
        inner = members["error"]?.object ?? members["detail"]?.object ?? [:]
        fields = FieldErrors(in: members, inner, isRejection: status == 400 || status == 422)
    }

    private static func isJSON(_ contentType: String) -> Bool {
        let essence = MediaType.essence(contentType)
        return MediaType.isJSON(essence) || essence == "text/json" || essence.hasPrefix("application/x-amz-json")
    }

    /// A member of the root; `nil` for another value than a text.
    func text(_ name: String) -> String? { members[name]?.string }

    var detail: String? {
        let general = Self.first(Self.texts, in: members) ?? Self.first(Self.texts, in: inner) ?? messages ?? said
        // What stands beside the fields, such as a rule of the whole document. A long text is not searched for repetitions.
        let known = general.flatMap { $0.utf8.count < 2000 ? $0.lowercased() : nil } ?? ""
        let others = fields.messages.prefix(20).filter { !known.contains($0.lowercased()) }
        guard !others.isEmpty else { return general }
        let list = others.prefix(3).joined(separator: "; ")
        return general.map { "\($0): \(list)" } ?? list
    }

    var fieldErrors: [FieldError]? { fields.all.isEmpty ? nil : fields.all }

    /// Stable, for programs. A number that repeats the status is none.
    var code: String? {
        let found =
            text("code") ?? number(members["code"]) ?? text("errorCode") ?? inner["code"]?.string
            ?? inner["status"]?.string ?? number(inner["code"]) ?? inner["type"]?.string
        return found ?? (text("kind") == "Status" ? text("reason") : nil) ?? typeOfAWS
    }

    var requestId: String? {
        Self.first(["request_id", "requestId"], in: members) ?? Self.first(["request_id", "requestId"], in: inner)
            ?? Self.requestFields.lazy.compactMap { headers[$0] }.first
    }

    private static let texts = ["detail", "error_description", "message", "Message", "errorMessage", "msg"]
    private static let requestFields = [
        "X-Request-Id", "Request-Id", "X-GitHub-Request-Id", "x-amzn-RequestId", "x-ms-request-id", "X-Correlation-Id",
    ]

    private static func first(_ names: [String], in members: [String: JSONValue]) -> String? {
        names.lazy.compactMap { members[$0]?.string?.nonEmpty }.first
    }

    /// Texts in a list: `errorMessages` of Jira, and `errors` or `error` with a text.
    private var messages: String? {
        if case .array(let items) = members["errorMessages"] {
            let texts = items.compactMap { $0.string?.nonEmpty }
            if !texts.isEmpty { return texts.prefix(3).joined(separator: " ") }
        }
        return text("errors")?.nonEmpty
    }

    /// `error` where it is a sentence: `Not Found`. A code such as `invalid_grant` is none; it stays in `Problem.error`.
    private var said: String? {
        guard let error = text("error")?.nonEmpty, text("title") == nil else { return nil }
        let isCode = error.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "_") }
        return isCode ? nil : error
    }

    private func number(_ value: JSONValue?) -> String? {
        guard case .integer(let number) = value, number != status else { return nil }
        return String(number)
    }

    /// `ResourceNotFoundException` of `com.amazonaws.dynamodb#ResourceNotFoundException`, or of the field in front of a URL.
    private var typeOfAWS: String? {
        guard let type = text("__type") ?? headers["x-amzn-ErrorType"] else { return nil }
        let name = type.prefix { $0 != ":" }
        return String(name.split(separator: "#").last ?? name).nonEmpty
    }
}

extension String {
    /// The text without white space at its ends; `nil` when nothing is left.
    var nonEmpty: String? {
        let text = trimmed
        return text.isEmpty ? nil : text
    }
}
