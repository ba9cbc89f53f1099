import AttachmentsDomain
import StrataDomain
import StrataOffline

/// The `Idempotency-Key` of an upload: named by what is sent, so that nothing has to be stored before it is sent.
///
/// Equal content under an equal name for the same entity has an equal key, on every machine and after every crash. So a
/// second upload of the same file is a repetition of the first, which the server answers with the attachment that is
/// there. The server adds the account: keys of different people never meet.
struct UploadKey: Sendable, Hashable {
    let text: String

    /// Stands between the parts of the form. It follows from the content, so that a repetition is the same to the byte, and
    /// so that nobody can make a file that contains it.
    var boundary: String { "strata-form-\(text)" }

    init<Parent: Entity>(_ file: LocalFile, _ parent: Identifier<Parent>) {
        // The name comes last: it is the only part that could hold a line break, and cannot.
        let content = [
            AttachmentNames<Parent>.table, parent.rawValue, file.digest.description, file.mediaType, file.name.text,
        ].joined(separator: "\n")
        text = ContentName.uuid(of: Array(content.utf8))
    }
}
