extension NetworkError {
    /// Nothing was sent, because an option of the command line forbids it.
    ///
    /// - Parameter option: The option: `--offline`.
    public init(forbiddenBy option: String) { self.init(.offline(option + Self.forbids)) }

    /// The reason and the next step for a user: whole sentences, without method and path.
    ///
    /// - Parameter step: The next step as a sentence, or empty. Where an option forbids the network, the step is to leave it
    ///   out.
    public func sentence(_ step: String) -> String { sentence(of: readableReason, step) }

    func sentence(of text: String, _ step: String) -> String {
        let step = forbiddingOption.map { "Leave out \($0) to ask the server." } ?? step
        let sentence = ".!?".contains(text.last ?? ".") ? text : text + "."
        return step.isEmpty ? sentence : "\(sentence) \(step)"
    }

    /// The option that forbids the network; `nil` for another reason.
    private var forbiddingOption: String? {
        guard case .offline(let why) = kind, why.hasSuffix(Self.forbids) else { return nil }
        return String(why.dropLast(Self.forbids.count))
    }

    /// The reason with a capital letter, unless it begins with a name such as `http://host`.
    var readableReason: String { readable(reason) }

    func readable(_ text: String) -> String {
        if let option = forbiddingOption { return option + Self.forbids }
        guard let first = text.first, text.prefix(while: { $0 != " " }).allSatisfy(\.isLetter) else { return text }
        return first.uppercased() + text.dropFirst()
    }

    private static let forbids = " forbids to use the network"
}
