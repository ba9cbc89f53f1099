import FoundationEssentials
import StrataDomain
public import StrataTerminal
import StrataTesting

extension Console {
    /// A console that prints into memory; it is noon, and times are in UTC.
    ///
    /// - Parameter width: Cells of the terminal it plays; `nil` for files.
    public static func inMemory(
        json: Bool = false, width: Int? = nil, input: MemoryInput = MemoryInput()
    ) -> (console: Console, output: MemorySink, errors: MemorySink) {
        let (output, errors) = (MemorySink(width: width), MemorySink(width: width))
        let console = Console(
            json: json, color: .never, environment: [:], output: output, errors: errors, input: input,
            clock: ManualWallClock(.noon), times: .utc, hostName: "here")
        return (console, output, errors)
    }
}
