/// The Prometheus text format (prometheus.io, "Exposition formats").
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func render(
        kinds: [String: PrometheusRegistry.Kind], series: [PrometheusRegistry.Series: any PrometheusSeries],
        help: [String: String] = [:], samples: [MetricSample] = []
    ) -> String {
        var text = ""
        let samples = Dictionary(samples.map { ($0.name, $0) }) { _, later in later }
        for sample in samples.values.sorted(by: { $0.name < $1.name }) {
            text += head(sample.name, sample.kind.rawValue, sample.help)
            text += "\(sample.name) \(number(sample.value))\n"
        }
        let byName = Dictionary(grouping: series, by: { $0.key.name })
        for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            text += head(name, kind.rawValue, help[name])
            for (key, handler) in (byName[name] ?? []).sorted(by: { $0.key.labels < $1.key.labels }) {
                for sample in handler.samples {
                    let labels = braced([key.labels, sample.label.map { pair($0.0, $0.1) } ?? ""])
                    text += "\(name)\(sample.suffix)\(labels) \(number(sample.value))\n"
                }
            }
        }
        return text
    }

    private static func head(_ name: String, _ kind: String, _ help: String?) -> String {
        let words = help.map { text in
            let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
            return "# HELP \(name) \(escaped)\n"
        }
        return (words ?? "") + "# TYPE \(name) \(kind)\n"
    }

    /// Labels without braces, sorted by name.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { (name($0.0, allowEmpty: false), $0.1) }.sorted { $0.0 < $1.0 }.map(pair).joined(separator: ",")
    }

    /// `text` with `_` for every character that a name must not have.
    static func name(_ text: String, allowEmpty: Bool) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", ":": name.unicodeScalars.append(scalar)
            case "0"..."9" where !name.isEmpty: name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty && !allowEmpty ? "_" : name
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Whole numbers that a Double represents exactly are written as integers.
        return value.rounded() == value && value.magnitude < 9_007_199_254_740_992 ? "\(Int64(value))" : "\(value)"
    }

    private static func pair(_ name: String, _ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\(name)=\"\(escaped)\""
    }

    private static func braced(_ parts: [String]) -> String {
        let pairs = parts.filter { !$0.isEmpty }
        return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }
}
