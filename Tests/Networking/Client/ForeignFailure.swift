import StrataDomain
import Testing

/// A failure as a public API sends it, and what a caller reads of it.
struct ForeignFailure: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let type: String
    let headers: HeaderFields
    let body: String
    /// The beginning of the kind.
    let kind: String
    /// The error as a text, after method and path.
    let text: String
    let code: String?
    let fields: [FieldError]?

    var testDescription: String { name }

    init(
        _ name: String, _ status: Int, _ body: String, type: String = "application/json; charset=utf-8",
        headers: HeaderFields = [:], kind: String, _ text: String, code: String? = nil,
        fields: [(String, String)]? = nil
    ) {
        (self.name, self.status, self.body, self.type, self.headers) = (name, status, body, type, headers)
        (self.kind, self.text, self.code) = (kind, text, code)
        self.fields = fields?.map { FieldError(field: $0, message: $1) }
    }

    static let all = gitHub + payments + frameworks + clouds + others

    private static let gitHub = [
        ForeignFailure(
            "GitHub, missing", 404,
            #"{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}"#,
            kind: "notFound", "Not Found"),
        ForeignFailure(
            "GitHub, credentials", 401, #"{"message":"Bad credentials","status":"401"}"#, kind: "unauthorized",
            "Bad credentials"),
        ForeignFailure(
            "GitHub, field", 422,
            #"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}"#,
            kind: "validation", "Validation Failed (title: missing field)", fields: [("title", "missing field")]),
        ForeignFailure(
            "GitHub, resource", 422,
            #"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"No commits"}]}"#,
            kind: "validation", "Validation Failed (PullRequest: No commits)", fields: [("PullRequest", "No commits")]),
        ForeignFailure(
            "GitHub, rate", 403, #"{"message":"API rate limit exceeded for 203.0.113.7."}"#,
            headers: ["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795252800"],
            kind: "rateLimited", "API rate limit exceeded for 203.0.113.7, retry in 1200 s"),
        ForeignFailure(
            "GitHub, secondary rate", 403, #"{"message":"You have exceeded a secondary rate limit."}"#,
            headers: ["Retry-After": "60", "X-RateLimit-Remaining": "4000"], kind: "rateLimited",
            "You have exceeded a secondary rate limit, retry in 60 s"),
        ForeignFailure(
            "GitHub, missing right", 403, #"{"message":"Resource not accessible by integration"}"#,
            headers: ["X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "1795252800"], kind: "forbidden",
            "Resource not accessible by integration"),
    ]

    private static let payments = [
        ForeignFailure(
            "Stripe, card", 402,
            #"{"error":{"code":"card_declined","doc_url":"https://stripe.com","message":"Your card was declined.","type":"card_error"}}"#,
            kind: "status(402", "Your card was declined.", code: "card_declined"),
        ForeignFailure(
            "Stripe, parameter", 400,
            #"{"error":{"message":"Missing required param: amount.","param":"amount","type":"invalid_request_error"}}"#,
            kind: "validation", "Missing required param: amount.", code: "invalid_request_error",
            fields: [("amount", "Missing required param: amount.")]),
        ForeignFailure(
            "Twilio", 404, #"{"code":20404,"message":"The resource was not found","status":404}"#, kind: "notFound",
            "The resource was not found", code: "20404"),
    ]

    private static let frameworks = [
        ForeignFailure(
            "FastAPI, text", 404, #"{"detail":"Item not found"}"#, type: "application/json", kind: "notFound",
            "Item not found"),
        ForeignFailure(
            "FastAPI, list", 422,
            #"{"detail":[{"type":"missing","loc":["body","items",0,"price"],"msg":"Field required","input":{"name":"x"}}]}"#,
            kind: "validation", "the input was rejected (items.0.price: Field required)",
            fields: [("items.0.price", "Field required")]),
        ForeignFailure(
            "Spring, path", 404,
            #"{"timestamp":"2026-11-21T09:00:00.000+00:00","status":404,"error":"Not Found","path":"/v1/x"}"#,
            kind: "notFound", "Not Found"),
        ForeignFailure(
            "Spring, field", 400,
            #"{"status":400,"error":"Bad Request","message":"Validation failed for object='draft'","errors":[{"codes":["NotBlank"],"defaultMessage":"must not be blank","objectName":"draft","field":"name","code":"NotBlank"}]}"#,
            kind: "validation", "Validation failed for object='draft' (name: must not be blank)",
            fields: [("name", "must not be blank")]),
        ForeignFailure(
            "ASP.NET", 400,
            #"{"type":"about:blank","title":"One or more validation errors occurred.","status":400,"errors":{"Name":["The Name field is required."]}}"#,
            type: "application/problem+json", kind: "validation",
            "One or more validation errors occurred (Name: The Name field is required.)",
            fields: [("Name", "The Name field is required.")]),
        ForeignFailure(
            "Laravel", 422,
            #"{"message":"The email field is required.","errors":{"email":["The email field is required."]}}"#,
            kind: "validation", "The email field is required.", fields: [("email", "The email field is required.")]),
        ForeignFailure(
            "Django", 400, #"{"name":["This field is required."],"age":["A number.","Positive."]}"#, kind: "validation",
            "the input was rejected (age: A number. Positive.; name: This field is required.)",
            fields: [("age", "A number. Positive."), ("name", "This field is required.")]),
        ForeignFailure(
            "JSON:API", 422,
            #"{"errors":[{"status":"422","title":"Invalid","detail":"Too short.","source":{"pointer":"/data/attributes/first_name"}}]}"#,
            type: "application/vnd.api+json", kind: "validation", "the input was rejected (first_name: Too short.)",
            fields: [("first_name", "Too short.")]),
        ForeignFailure("Shopify", 404, #"{"errors":"Not Found"}"#, kind: "notFound", "Not Found"),
    ]

    private static let clouds = [
        ForeignFailure(
            "Google, missing", 404,
            #"{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}}"#,
            kind: "notFound",
            "Requested entity was not found.", code: "NOT_FOUND"),
        ForeignFailure(
            "Google, field", 400,
            #"{"error":{"code":400,"message":"Invalid argument","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"page_size","description":"Too large"}]}]}}"#,
            kind: "validation", "Invalid argument (page_size: Too large)", code: "INVALID_ARGUMENT",
            fields: [("page_size", "Too large")]),
        ForeignFailure(
            "Google, same message twice", 401,
            #"{"error":{"code":401,"message":"Invalid Credentials","errors":[{"message":"Invalid Credentials","domain":"global","reason":"authError"}]}}"#,
            kind: "unauthorized", "Invalid Credentials"),
        ForeignFailure(
            "Kubernetes, missing", 404,
            #"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"web\" not found","reason":"NotFound","details":{"name":"web","kind":"pods"},"code":404}"#,
            kind: "notFound", #"pods "web" not found"#, code: "NotFound"),
        ForeignFailure(
            "Kubernetes, field", 422,
            #"{"kind":"Status","status":"Failure","message":"Pod is invalid","reason":"Invalid","details":{"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers"}]},"code":422}"#,
            kind: "validation", "Pod is invalid (spec.containers: Required value)", code: "Invalid",
            fields: [("spec.containers", "Required value")]),
        ForeignFailure(
            "DynamoDB", 400,
            #"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","Message":"Requested resource not found"}"#,
            type: "application/x-amz-json-1.0", kind: "validation", "Requested resource not found",
            code: "ResourceNotFoundException"),
        ForeignFailure(
            "API Gateway", 403, #"{"message":"Forbidden"}"#, headers: ["x-amzn-ErrorType": "ForbiddenException"],
            kind: "forbidden", "Forbidden", code: "ForbiddenException"),
        ForeignFailure(
            "Microsoft Graph", 404, #"{"error":{"code":"itemNotFound","message":"Item not found"}}"#, kind: "notFound",
            "Item not found", code: "itemNotFound"),
    ]

    private static let others = [
        ForeignFailure(
            "OAuth", 400, #"{"error":"invalid_grant","error_description":"The token was used before."}"#,
            kind: "validation", "The token was used before."),
        ForeignFailure("OAuth, code only", 401, #"{"error":"invalid_client"}"#, kind: "unauthorized", "invalid_client"),
        ForeignFailure(
            "Jira", 404, #"{"errorMessages":["Issue does not exist"],"errors":{}}"#, kind: "notFound",
            "Issue does not exist"),
        ForeignFailure(
            "Jira, field", 400, #"{"errorMessages":[],"errors":{"summary":"You must specify a summary."}}"#,
            kind: "validation", "the input was rejected (summary: You must specify a summary.)",
            fields: [("summary", "You must specify a summary.")]),
        ForeignFailure(
            "Salesforce", 401, #"[{"message":"Session expired or invalid","errorCode":"INVALID_SESSION_ID"}]"#,
            kind: "unauthorized", "Session expired or invalid"),
        ForeignFailure(
            "a text", 401, "\n Bad\u{7} credentials \nsecond line", type: "text/plain; charset=utf-8",
            kind: "unauthorized",
            "Bad credentials"),
        ForeignFailure(
            "a proxy", 503, "upstream connect error", type: "text/plain", kind: "server(503",
            "upstream connect error (status 503)"),
        ForeignFailure("HTML", 404, "<h1>Nope</h1>", type: "text/html", kind: "notFound", "not found"),
        ForeignFailure(
            "a page of a proxy", 502, "<html><head><title>502 Bad Gateway</title></head><body>nginx/1.22</body></html>",
            type: "text/html", kind: "server(502", "502 Bad Gateway"),
        ForeignFailure(
            "a page with odd markup", 403,
            "<!DOCTYPE html>\n<TITLE class=x>\u{1B}[2J Sign\r\n in &amp;amp; &lt;go&gt;\n</Title >",
            type: "text/html; charset=UTF-8", kind: "forbidden", "[2J Sign in &amp; <go>"),
        ForeignFailure(
            "a page with an empty title", 404, "<title> \n </title><p>CANARY", type: "text/html", kind: "notFound",
            "not found"),
        ForeignFailure(
            "a page whose title does not end", 404, "<title>Not <b>here", type: "text/html", kind: "notFound",
            "not found"),
        ForeignFailure(
            "a page with another tag", 404, "<titles>no</titles>", type: "text/html", kind: "notFound", "not found"),
        ForeignFailure("HTML as text", 404, "<h1>Nope</h1>", type: "text/plain", kind: "notFound", "not found"),
        ForeignFailure("numbers", 404, "[1,2]", kind: "notFound", "not found"),
        ForeignFailure("nothing known", 422, #"{"ok":false}"#, kind: "validation", "the input was rejected"),
        ForeignFailure("empty texts", 404, #"{"message":" ","detail":"","error":{}}"#, kind: "notFound", "not found"),
        ForeignFailure("nothing", 429, "", type: "text/plain", kind: "rateLimited", "too many requests"),
    ]
}
