/// One thing to do to a tree.
package enum FileChange: Sendable, Hashable {
    /// A new file; what is there already with other contents is a collision.
    case create(RelativePath, FileContents)
    /// New contents for a file that is there.
    case replace(RelativePath, FileContents)
    /// The file goes, and each folder that it leaves empty.
    case delete(RelativePath)
    /// Lines of a marked region come and go.
    case editRegion(RelativePath, region: String, adding: [String], removing: [String])
}
