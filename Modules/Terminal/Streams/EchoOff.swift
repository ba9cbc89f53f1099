import StrataSystem

/// Disables the echo of a terminal until `restore`.
///
/// The interrupt keys end the line instead, so that control-C returns to the reader, which restores
/// the terminal. Otherwise the signal would end the process with the echo disabled.
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
