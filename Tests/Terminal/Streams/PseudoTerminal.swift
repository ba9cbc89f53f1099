import Glibc

/// A pseudoterminal of the kernel: a program at one end, the test in place of the user at the other.
final class PseudoTerminal: Sendable {
    struct Unavailable: Error {}

    let person: Int32
    let program: Int32

    init() throws {
        // Same as posix_openpt, unlockpt and ptsname on Linux (ioctl_tty(2)), which Swift cannot import from glibc.
        var (lock, number): (Int32, UInt32) = (0, 0)
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard person >= 0, ioctl(person, Self.setLock, &lock) == 0, ioctl(person, Self.getNumber, &number) == 0 else {
            throw Unavailable()
        }
        program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard program >= 0 else { throw Unavailable() }
    }

    private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
    private static let getNumber: UInt = 0x8004_5430  // TIOCGPTN

    deinit {
        close(program)
        close(person)
    }

    func type(_ text: String) {
        _ = text.utf8.withContiguousStorageIfAvailable { write(person, $0.baseAddress, $0.count) }
    }

    /// Whether the terminal echoes typed characters.
    var echoes: Bool { flags & tcflag_t(ECHO) != 0 }
    /// Whether control-C is a signal.
    var signals: Bool { flags & tcflag_t(ISIG) != 0 }

    /// The output since the last call, without waiting.
    func drawn() -> String { Self.text(from: person, within: 0) }

    /// What the next reader at the end of the program gets; empty when nothing comes within ten seconds.
    func received() -> String { Self.text(from: program, within: 10_000) }

    private static func text(from end: Int32, within milliseconds: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var ready = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) == 1 else { return "" }
        let count = read(end, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private var flags: tcflag_t {
        var settings = termios()
        tcgetattr(program, &settings)
        return settings.c_lflag
    }
}
