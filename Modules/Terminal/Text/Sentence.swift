extension String {
    /// The text with a full stop, unless it ends with punctuation.
    var asSentence: String {
        guard let last = last(where: { $0 != "'" && $0 != ")" }) else { return self }
        return ".!?…:".contains(last) && !hasSuffix("'") ? self : self + "."
    }
}
