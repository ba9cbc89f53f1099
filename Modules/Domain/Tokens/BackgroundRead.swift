/// Marks the tasks that revalidate a value which is shown already, and which may be cancelled when the program ends.
package enum BackgroundRead {
    /// Whether this task is one. A token provider then renews no token before the server refuses it: the server rotates the
    /// refresh token, and a program that ends before it has the response would lose the session.
    @TaskLocal package static var isCurrent = false
}
