import Glibc
import StrataConcurrency

/// A real terminal of the kernel: a program on one end, a test that plays the person on the other.
final class PseudoTerminal: Sendable {
    struct Unavailable: Error {}

    let person: Int32
    let program: Int32

    init() throws {
        // What posix_openpt, unlockpt and ptsname do on Linux (ioctl_tty(2)); glibc hides them from Swift.
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

    /// Keeps both ends open as long as this program runs: a thread that still reads would take what is typed into the next
    /// terminal, whose descriptors have the same numbers.
    func stayOpen() { Self.kept.withLock { $0.append(self) } }

    private static let kept = Mutex<[PseudoTerminal]>([])

    /// Whether typed characters show.
    var echoes: Bool { flags & tcflag_t(ECHO) != 0 }
    /// Whether control-C is a signal.
    var signals: Bool { flags & tcflag_t(ISIG) != 0 }

    /// What the terminal drew since it was last asked, without waiting.
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
