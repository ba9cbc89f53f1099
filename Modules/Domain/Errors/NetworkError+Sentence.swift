extension NetworkError {
    /// Nothing was sent, because the person who runs the program does not want it to be.
    ///
    /// - Parameter option: Of the command line: `--offline`.
    public init(forbiddenBy option: String) { self.init(.offline(option + Self.forbids)) }

    /// The reason and what to do about it, for people: whole sentences, without method and path.
    ///
    /// - Parameter step: What to do, a sentence, or nothing. Where an option kept the program from the network, the step is to leave it
    ///   out.
    public func sentence(_ step: String) -> String {
        let step = forbiddingOption.map { "Leave out \($0) to ask the server." } ?? step
        let text = readableReason
        let sentence = ".!?".contains(text.last ?? ".") ? text : text + "."
        return step.isEmpty ? sentence : "\(sentence) \(step)"
    }

    /// The option that kept the program from the network; `nil` where that is not why.
    private var forbiddingOption: String? {
        guard case .offline(let why) = kind, why.hasSuffix(Self.forbids) else { return nil }
        return String(why.dropLast(Self.forbids.count))
    }

    /// The reason with a capital letter, unless it begins with a name such as `http://host`.
    var readableReason: String {
        if let option = forbiddingOption { return option + Self.forbids }
        let text = reason
        guard let first = text.first, text.prefix(while: { $0 != " " }).allSatisfy(\.isLetter) else { return text }
        return first.uppercased() + text.dropFirst()
    }

    private static let forbids = " forbids to use the network"
}
