import Glibc
import StrataConcurrency

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

    /// Keeps both ends open until this program ends. Otherwise the next terminal could reuse the descriptor numbers, and a
    /// thread that still reads would get its input.
    func stayOpen() { Self.kept.withLock { $0.append(self) } }

    private static let kept = Mutex<[PseudoTerminal]>([])

    /// Whether the terminal echoes typed characters.
    var echoes: Bool { flags & tcflag_t(ECHO) != 0 }
    /// Whether control-C is a signal.
    var signals: Bool { flags & tcflag_t(ISIG) != 0 }

    /// The output since the last call, without waiting.
    func drawn() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var ready = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) == 1 else { return "" }
        let count = read(person, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private var flags: tcflag_t {
        var settings = termios()
        tcgetattr(program, &settings)
        return settings.c_lflag
    }
}
