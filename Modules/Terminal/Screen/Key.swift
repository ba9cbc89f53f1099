/// What a user did at a terminal in raw mode.
enum Key: Sendable, Hashable {
    case character(Character)
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end
    /// A letter with the control key, in lower case.
    case control(Character)
    /// Text that was pasted: never read as keys.
    case paste(String)
}
