import Foundation
import StrataDomain
import StrataNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The same request in Foundation's words, without its body.
    ///
    /// - Throws: `.invalidRequest` for what Foundation or libcurl would send differently, or not at all.
    init(_ request: ClientRequest) throws {
        let text = request.url.description
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            throw NetworkError(.invalidRequest("Foundation does not read '\(request.url.path)' as the path of a URL"))
        }
        guard !request.url.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw NetworkError(.invalidRequest("libcurl takes '.' and '..' out of the path '\(request.url.path)'"))
        }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for field in request.headers {
            try field.check()
            // The length is that of the body, and libcurl writes it.
            if field.name.equalsIgnoringCase(FieldName.contentLength) { continue }
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        // Otherwise libcurl asks for compressed answers, and inflates them behind our back.
        if request.headers[acceptEncoding] == nil { setValue("identity", forHTTPHeaderField: acceptEncoding) }
    }
}

extension HeaderFields.Field {
    /// libcurl takes a field as one line of text, and would read a line break as the start of another field.
    fileprivate func check() throws {
        guard name.isToken else { throw NetworkError(.invalidRequest("a header field has a name that is no token")) }
        guard value.utf8.allSatisfy(\.isFieldValueByte) else {
            throw NetworkError(.invalidRequest("the header field \(name) has a control character in its value"))
        }
    }
}

extension ResponseHead {
    /// Status and fields; `nil` for what is no HTTP.
    ///
    /// The order of the fields is lost, and repeated ones are one field whose values are joined by a comma.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        var fields = HeaderFields()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields.add(name, value)
        }
        self.init(status: response.statusCode, headers: fields)
    }
}

private let acceptEncoding = "Accept-Encoding"
