import HTTPTypes
import Hummingbird
import NIOHTTP1
import StrataDomain
import StrataSystem

extension ServiceError {
    /// The failure that the caller sees for `error`.
    init(mapping error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as EndpointError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as BlobError: self.init(error)
        case is BlockingPool.Busy: self = .unavailable("Too many requests wait for a worker.", seconds: 1)
        case is CancellationError: self = .unavailable("The service is stopping.", seconds: 1)
        case HTTPParserError.headerOverflow: self = .headersTooLarge
        case is HTTPParserError: self = .malformed("The message is not valid HTTP/1.1.")
        case let error as HTTPError: self.init(error)
        default: self = .unexpected
        }
    }

    private init(_ error: EndpointError) {
        let field = FieldError(field: error.key, message: Self.message(error))
        switch (error.kind, error.place) {
        case (.unsupportedMediaType, _):
            self.init(
                415, code: "unsupported_media_type", title: "Unsupported media type", detail: error.description,
                headers: ["Accept": error.expected.replacing(" or ", with: ", ")])
        case (.unreadable, _):
            self.init(400, code: "malformed_body", title: "Unreadable body", detail: error.description)
        case (.badDeclaration, _):
            self = .unexpected
        case (.missing, .header) where error.key.lowercased() == "if-match":
            self = .preconditionRequired()
        case (.missing, .body), (.malformed, .body):
            self = .validation([field])
        case (.missing, _), (.malformed, _):
            self.init(
                400, code: "invalid_parameter", title: "Rejected parameter", detail: error.description,
                fields: [field])
        }
    }

    private static func message(_ error: EndpointError) -> String {
        error.kind == .missing ? "is missing; send \(error.expected)" : "must be \(error.expected)"
    }

    private init(_ error: StoreError) {
        switch error {
        case .constraint:
            self.init(
                409, code: "constraint", title: "Conflict",
                detail: "The change contradicts stored data: a name is taken, or a named object does not exist.")
        case .unavailable: self = .unavailable("The database cannot be used now.", seconds: 5)
        case .full: self = .storageFull("The change was not stored: the disk of the database is full.")
        case .failed, .column: self = .unexpected
        }
    }

    private init(_ error: BlobError) {
        switch error.kind {
        case .failed: break
        // 410 (RFC 9110, section 15.5.11) and not 500, because a retry cannot succeed.
        case .lost:
            self.init(
                410, code: "content_lost", title: "Content lost",
                detail: "The file no longer exists on the server; an administrator can restore it from a backup.")
            return
        case .damaged:
            self.init(
                410, code: "content_damaged", title: "Content damaged",
                detail:
                    "The stored file differs from the uploaded one, so it is not sent; an administrator can restore it "
                    + "from a backup.")
            return
        }
        switch error.action {
        // The content exists, but the process has no free file descriptor.
        case "open" where error.code == EMFILE || error.code == ENFILE:
            self = .unavailable("Too many files are open.", seconds: 1)
        case "open", "read": self = .unexpected
        default:
            self =
                error.isFull
                ? .storageFull("The file was not stored: the disk is full. Nothing was changed.")
                : .unavailable("Files cannot be stored now.", seconds: 5)
        }
    }

    private init(_ error: HTTPError) {
        let status = error.status.code
        guard (400..<500).contains(status) else {
            self = .unexpected
            return
        }
        self.init(
            status, code: "http_\(status)", title: error.status.reasonPhrase, detail: error.body ?? "Bad request.")
    }
}
