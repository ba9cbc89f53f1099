/// A key that is spelled as on the wire already; the strategy of an encoder leaves it as it is.
package struct WireName: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(_ name: String) { stringValue = name }
    package init(stringValue: String) { self.init(stringValue) }
    package init?(intValue: Int) { nil }
}
