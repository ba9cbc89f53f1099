package import AttachmentsDomain
package import StrataTerminal

/// A command about attachments.
package protocol AttachmentsCommand: ConsoleCommand where Tools == Attachments {}
