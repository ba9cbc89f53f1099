import StrataService
import Testing

@testable import StrataServerProgram

/// Runs each test of a suite inside of a program: its names are those of settings and commands.
struct ProgramTrait: SuiteTrait, TestTrait, TestScoping {
    let program: ServerProgram
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await ServerProgram.$current.withValue(program) { try await function() }
    }
}

extension Trait where Self == ProgramTrait {
    /// A server without features of its own.
    static var shiftlog: Self {
        ProgramTrait(
            program: ServerProgram(
                name: "shiftlog-server", client: "shiftlog", release: "1.2.3", abstract: "The backend of shiftlog.",
                features: { _, _ in [] }))
    }

    /// A server whose name has a hyphen, with settings of its own.
    static var orderDesk: Self {
        ProgramTrait(
            program: ServerProgram(
                name: "order-desk-server", client: "order-desk", release: "1.2.3", abstract: "The backend of the desk.",
                settings: [.pier, .crates, .tide, .key], features: { _, _ in [] }))
    }
}

extension Setting {
    static let pier = Setting("harbour.pier", "none; where boats lie", flag: "pier")
    static let crates = Setting("crates", "10; of a boat", in: 1...100)
    static let tide = Setting("tide", "any; which tide is waited for", oneOf: ["any", "high"])
    static let key = Setting("harbour.key", "none; opens the gate", isSecret: true)
}
