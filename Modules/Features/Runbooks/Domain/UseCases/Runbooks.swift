/// What can be done with runbooks; built once over a repository and handed to commands and view models.
package struct Runbooks: Sendable {
    package let browse: BrowseRunbooks
    package let read: ReadRunbook
    package let write: WriteRunbook
    package let revise: ReviseRunbook
    package let retire: RetireRunbook

    package init(_ repository: any RunbookRepository) {
        browse = BrowseRunbooks(repository)
        read = ReadRunbook(repository)
        write = WriteRunbook(repository)
        revise = ReviseRunbook(repository)
        retire = RetireRunbook(repository)
    }
}
