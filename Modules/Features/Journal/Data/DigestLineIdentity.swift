import JournalDomain
import StrataOffline

/// Names imported lines by their SHA-256.
package struct DigestLineIdentity: LineIdentity {
    package init() {}
    package func id(for bytes: [UInt8]) -> String { ContentName.uuid(of: bytes) }
}
