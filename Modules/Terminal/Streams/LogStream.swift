/// Where a log handler writes its lines: each is one escaped line (see `SafeText`) on standard error.
///
/// A log quotes other machines, for example the title of a problem document.
public struct LogStream: TextOutputStream, Sendable {
    private let sink: any TextSink

    /// A stream into `sink`, by default standard error.
    public init(_ sink: any TextSink = DescriptorSink.standardError) { self.sink = sink }

    /// - Parameter line: One event, with or without a line break at its end.
    public mutating func write(_ line: String) {
        sink.write(SafeText.oneLine(line.hasSuffix("\n") ? String(line.dropLast()) : line) + "\n")
    }
}
