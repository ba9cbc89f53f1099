import Glibc
public import StrataDomain

/// Standard input of the process; secrets are asked for on standard error.
public struct StandardInput: ConsoleInput {
    private let descriptor: Int32
    private let errors: any TextSink

    /// - Parameter descriptor: Default: 0, standard input.
    public init(descriptor: Int32 = 0, errors: any TextSink = DescriptorSink.standardError) {
        self.descriptor = descriptor
        self.errors = errors
    }

    public var isTerminal: Bool { isatty(descriptor) == 1 }

    public func bytes() -> any ByteSource {
        DescriptorSource(descriptor: descriptor, name: "standard input", closes: false)
    }

    public func secretLine(prompt: String) async throws(DomainError) -> Secret {
        errors.write(SafeText.oneLine(prompt))
        let echo = EchoOff(descriptor: descriptor)
        defer {
            echo.restore()
            errors.write("\n")
        }
        guard let line = try await bytes().next() else {
            throw .validation("No password was given.")
        }
        if line.contains(EchoOff.interrupt) || line.contains(EchoOff.quit) { throw .cancelled }
        let text = line.prefix { $0 != 0x0A }
        guard let secret = String(validating: text, as: UTF8.self) else {
            throw .validation("The password is not valid UTF-8.")
        }
        return Secret(secret)
    }
}
