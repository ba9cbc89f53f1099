import FoundationEssentials
import StrataDomain

/// The start of the next page of a list: the sort values of the last row, as opaque text.
///
/// Rows inserted or deleted between two pages do not make another row appear twice or not at all.
public struct KeysetCursor: Sendable, Hashable {
    /// The values of the sort columns in the last row of a page.
    public let values: [String]

    /// A cursor behind the row with these values.
    public init(_ values: String...) { self.values = values }

    /// - Parameters:
    ///   - text: From `text(for:)` of the same list.
    ///   - count: Number of sort values of the list.
    /// - Throws: 400 `invalid_cursor` for anything else.
    public init(_ text: String, for list: String, count: Int) throws {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(text),
            let values = try? WireJSON.decode([String].self, from: bytes), values.count == count + 1,
            values.first == list, !values.contains(where: { $0.utf8.contains(0) })
        else { throw Self.invalid }
        self.values = Array(values.dropFirst())
    }

    /// - Parameter list: Name of the list; its cursors are refused by other lists.
    public func text(for list: String) throws -> String { Base64URL.encode(try WireJSON.encode([list] + values)) }

    /// 400 for a cursor that this service did not write.
    public static var invalid: ServiceError {
        ServiceError(
            400, code: "invalid_cursor", title: "Unusable cursor",
            detail: "Send a next_cursor of this list as it was received, or none to start again.")
    }
}
