import Glibc

/// Keeps a terminal from showing what is typed, until `restore`.
///
/// The keys that interrupt become characters that end the line, so that control-C comes back to the reader, who restores
/// the terminal, instead of killing the process with the echo still off.
struct EchoOff {
    static let interrupt: UInt8 = 0x03
    static let quit: UInt8 = 0x1C

    private let descriptor: Int32
    private let before: termios?

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            before = nil
            return
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // termios(3): VEOL and VEOL2 are further characters that end a line; c_cc is a tuple in Swift.
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VEOL)] = Self.interrupt
            characters[Int(VEOL2)] = Self.quit
        }
        tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    func restore() {
        guard var before else { return }
        tcsetattr(descriptor, TCSADRAIN, &before)
    }
}
