import Testing

/// One rule of the architecture: it looks at everything of its kind, and says where the tree breaks it.
struct Rule: Sendable, CustomTestStringConvertible {
    /// What holds, as a sentence.
    let name: String
    /// How many things of its kind the real tree has at the least, that of a service with no feature but accounts, too.
    /// A rule that finds nothing to look at is broken.
    let minimum: Int
    let inspect: @Sendable (Project, inout Inspection) -> Void

    func callAsFunction(_ project: Project) -> Inspection {
        var inspection = Inspection()
        inspect(project, &inspection)
        return inspection
    }

    var testDescription: String { name }

    static let all: [Rule] = [
        .importsFitTheLayer, .importsAreDeclared, .edgesFitTheLayers, .edgesFormNoCycle, .edgesAreUsed,
        .featuresStayApart, .servicesSeeWhatIsPublic, .filesBelongToTargets, .appsLinkTheirSideOnly,
        .foundationNetworkingStaysInItsTransport, .nothingIsReexported, .testableStaysInTests, .modulesDoNotPrint,
        .nothingCrashesOnPurpose, .systemCallsStayInTheirModule, .platformIsChosenOnce,
        .uncheckedSendableIsProven,
    ]
}

/// What a rule looked at, and what it found.
struct Inspection: Sendable {
    private(set) var examined = 0
    private(set) var violations: [Violation] = []

    mutating func examine(_ count: Int = 1) { examined += count }

    mutating func report(_ path: String, _ line: Int, _ sentence: String) {
        violations.append(Violation(path: path, line: line, sentence: sentence))
    }
}

/// A broken rule, in the form that editors make a link of.
struct Violation: Sendable, Hashable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let sentence: String

    var description: String { "\(path):\(line): \(sentence)" }
}
