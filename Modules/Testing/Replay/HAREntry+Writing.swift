import FoundationEssentials
import StrataDomain
import StrataNetworking

/// HAR 1.2 (softwareishard.com/blog/har-12-spec). Names with an underscore are ours, as section "Customizing" allows.
enum HARDocument {
    /// The document of `entries`: members sorted by name, one to a line, so that a change shows as few lines.
    static func write(_ entries: [HAREntry]) throws -> Data {
        let document: JSONValue = [
            "log": [
                "version": "1.2", "creator": ["name": "Strata", "version": "1"],
                "entries": .array(entries.map(\.json)),
            ]
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(document) + Data("\n".utf8)
    }
}

extension HAREntry {
    fileprivate var json: JSONValue {
        [
            "startedDateTime": .string(RFC3339.string(from: started)), "time": milliseconds(wait + receive),
            "request": request, "response": response, "cache": .object([:]),
            "timings": ["send": 0, "wait": milliseconds(wait), "receive": milliseconds(receive)],
        ]
    }

    private var request: JSONValue {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first
        var members: [String: JSONValue] = [
            "method": .string(method), "url": .string(url), "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": requestHeaders.json,
            "queryString": query.flatMap { QueryItems(parsing: $0) }?.json ?? [],
            "headersSize": -1, "bodySize": .integer(requestBody?.size ?? 0),
        ]
        members["postData"] = requestBody.map { body in
            var content = body.content
            // Where a response has `encoding`, a request has no name for it.
            content["_encoding"] = content.removeValue(forKey: "encoding")
            content["mimeType"] = .string(requestHeaders[FieldName.contentType] ?? "")
            return .object(content)
        }
        return .object(members)
    }

    private var response: JSONValue {
        let response = try? outcome.get()
        let head = response?.head ?? ResponseHead(status: 0)
        var content = response?.body.content ?? [:]
        content["size"] = .integer(response?.body.size ?? 0)
        content["mimeType"] = .string(head.headers[FieldName.contentType] ?? "")
        var members: [String: JSONValue] = [
            "status": .integer(head.status), "statusText": .string(head.reason ?? ""), "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": head.headers.json, "content": .object(content),
            "redirectURL": .string(head.headers["Location"] ?? ""), "headersSize": -1, "bodySize": -1,
        ]
        if case .failure(let failure) = outcome { members["_error"] = .string(failure.rawValue) }
        return .object(members)
    }

    /// With three decimals.
    private func milliseconds(_ duration: Duration) -> JSONValue {
        let microseconds = duration / .microseconds(1)
        return .number(microseconds.rounded() / 1000)
    }
}

extension HAREntry.Body {
    /// `text`, with `encoding` for bytes that are no text.
    fileprivate var content: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let bytes {
            if let text = String(validating: bytes, as: UTF8.self) {
                members["text"] = .string(text)
            } else {
                members["text"] = .string(bytes.base64EncodedString())
                members["encoding"] = "base64"
            }
        }
        if let failure { members["_cut"] = .string(failure.rawValue) }
        return members
    }
}

extension HeaderFields {
    fileprivate var json: JSONValue {
        .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }
}

extension QueryItems {
    fileprivate var json: JSONValue {
        .array(items.map { ["name": .string($0.name), "value": .string($0.value)] })
    }
}
