import StrataDomain
import StrataService

/// The failure of a command: one message and one exit status (sysexits.h).
struct Failure: Error {
    let message: String
    let status: Int32

    static let usage: Int32 = 64
    static let rejected: Int32 = 65
    static let notFound: Int32 = 66
    static let unavailable: Int32 = 69
    static let bug: Int32 = 70
    static let cannotWrite: Int32 = 73

    init(_ message: String, _ status: Int32) {
        self.message = message
        self.status = status
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as SettingsError: self.init(error.description, Self.usage)
        case let error as InheritedSocketError: self.init(error.description, Self.usage)
        case let error as ServiceStartError: self.init(error.description, Self.unavailable)
        case let error as ServiceError:
            self.init(Self.text(error.problem), error.problem.status == 404 ? Self.notFound : Self.rejected)
        case StoreError.unavailable(let text), StoreError.failed(let text): self.init(text, Self.cannotWrite)
        case StoreError.full(let text): self.init("The disk of the database is full: \(text).", Self.cannotWrite)
        case let error as CopyError: self.init(error.description, Self.rejected)
        case let error as BlobError: self.init(error.description, Self.cannotWrite)
        case StoreError.constraint(let text):
            self.init("The change contradicts what is stored: \(text).", Self.rejected)
        default: self.init("This is a bug: \(String(reflecting: error)).", Self.bug)
        }
    }

    private static func text(_ problem: Problem) -> String {
        ([problem.detail ?? problem.title] + (problem.errors ?? []).map { "  \($0.field): \($0.message)" })
            .joined(separator: "\n")
    }
}
