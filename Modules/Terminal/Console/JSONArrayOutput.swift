import StrataDomain

/// Writes one JSON array on a line while its elements are read.
///
/// The first output comes after some hundred elements or with `finish`, so that a list whose first read fails
/// leaves the output empty.
public struct JSONArrayOutput<Element: Encodable>: Sendable {
    private let output: any TextSink
    private var page: [String] = []
    private var hasBegun = false
    /// The first element that cannot be written as JSON ends the array.
    private var failure: (any Error)?

    /// Elements that are written at a time.
    private static var pageLength: Int { 200 }

    init(_ output: any TextSink) { self.output = output }

    public mutating func add(_ element: Element) {
        guard failure == nil else { return }
        do { page.append(String(decoding: try WireJSON.encode(element), as: UTF8.self)) } catch { failure = error }
        if page.count >= Self.pageLength { flush() }
    }

    /// Writes what is left, and the end of the array.
    ///
    /// - Throws: Why an element could not be written as JSON; the array is not ended then.
    public mutating func finish() throws {
        if let failure { throw failure }
        flush()
        output.write(hasBegun ? "]\n" : "[]\n")
    }

    private mutating func flush() {
        guard !page.isEmpty else { return }
        output.write((hasBegun ? "," : "[") + SafeText.escapedJSON(page.joined(separator: ",")))
        hasBegun = true
        page.removeAll(keepingCapacity: true)
    }
}
