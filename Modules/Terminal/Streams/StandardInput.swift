import FoundationEssentials
public import StrataDomain
import StrataSystem

/// Standard input of the process; prompts go to standard error.
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

    public func line(prompt: String, isHidden: Bool) async throws(DomainError) -> Secret {
        // Before the prompt, so that keys typed at once are neither echoed nor dropped by the flush.
        let echo = isHidden ? EchoOff(descriptor: descriptor) : nil
        errors.write(SafeText.oneLine(prompt))
        defer {
            if let echo {
                echo.restore()
                errors.write("\n")  // the one that was typed did not show
            }
        }
        guard let line = try await bytes().next() else {
            throw .validation("The input ended before an answer was given.")
        }
        if line.contains(EchoOff.interrupt) || line.contains(EchoOff.quit) { throw .cancelled }
        guard let text = String(validating: line.prefix { $0 != 0x0A }, as: UTF8.self) else {
            throw .validation("The answer is not valid UTF-8.")
        }
        return Secret(text)
    }
}
