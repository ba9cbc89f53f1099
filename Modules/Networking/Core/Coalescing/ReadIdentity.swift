import StrataDomain

/// The parts of a read that must be equal to share a response. A class, because a key is copied a dozen times.
final class ReadIdentity: Hashable, Sendable {
    let request: ClientRequest
    let credential: Secret?

    init(request: ClientRequest, credential: Secret?) {
        self.request = request
        self.credential = credential
    }

    /// Without the name of the call, which each has of its own.
    private var fields: some Sequence<HeaderFields.Field> {
        request.headers.fields.lazy.filter { !$0.name.equalsIgnoringCase(FieldName.requestId) }
    }

    static func == (left: ReadIdentity, right: ReadIdentity) -> Bool {
        left.request.method == right.request.method && left.request.url == right.request.url
            && left.credential == right.credential
            // A leader with shorter timeouts or fewer attempts than the others would fail them all.
            && left.request.context.limits == right.request.context.limits
            && left.fields.elementsEqual(right.fields)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(request.url)
        hasher.combine(credential)
    }
}
