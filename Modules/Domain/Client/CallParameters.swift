/// The values of a call by name: `["owner": "ada", "page": 2, "tags": ["a", "b"]]`.
///
/// A name that the path has in braces fills it; the others are the query, in their order. `nil` is left out, and an array repeats
/// its name.
public struct CallParameters: Sendable, ExpressibleByDictionaryLiteral {
    let values: [(name: String, value: any MultipleParameter)]

    public init(dictionaryLiteral elements: (String, any MultipleParameter)...) {
        values = elements.map { ($0, $1) }
    }
}
