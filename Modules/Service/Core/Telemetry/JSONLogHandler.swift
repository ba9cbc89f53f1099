public import FoundationEssentials
public import Logging
import StrataDomain
import StrataSystem

/// Writes each log line as one JSON object with `time`, `level`, `label`, `message` and the metadata.
public struct JSONLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.info
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let write: @Sendable (Data) -> Void

    /// - Parameter write: Receives a line with its line feed. Default: writes the line to standard error at once.
    public init(label: String, write: @escaping @Sendable (Data) -> Void = JSONLogHandler.standardError) {
        self.label = label
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var members: [String: JSONValue] = [:]
        for (name, value) in metadata { members[name] = Self.json(value) }
        for (name, value) in metadataProvider?.get() ?? [:] { members[name] = Self.json(value) }
        for (name, value) in event.metadata ?? [:] { members[name] = Self.json(value) }
        if let error = event.error { members["error"] = .string("\(error)") }
        members["time"] = .string(RFC3339.string(from: .now))
        members["level"] = .string(event.level.rawValue)
        members["label"] = .string(label)
        members["message"] = .string("\(event.message)")
        guard var line = try? WireJSON.encode(members) else { return }
        line.append(UInt8(ascii: "\n"))
        write(line)
    }

    /// Integers stay numbers; other values become text.
    private static func json(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value):
            (value as? any BinaryInteger).flatMap { Int(exactly: $0) }.map { .integer($0) } ?? .string("\(value)")
        case .array(let values): .array(values.map(json))
        case .dictionary(let members): .object(members.mapValues(json))
        }
    }

    /// Writes a whole line to standard error, or drops it on an error.
    public static let standardError: @Sendable (Data) -> Void = { line in
        try? FileDescriptor.standardError.append(line)
    }
}
