/// Names an imported line by its content, so that the same line becomes the same entry on every machine.
///
/// An implementation needs a cryptographic digest: two lines under one id would lose one of them.
package protocol LineIdentity: Sendable {
    /// A UUID in lower-case text form (version 8, RFC 9562, section 5.8); equal for equal bytes only.
    func id(for bytes: [UInt8]) -> String
}
