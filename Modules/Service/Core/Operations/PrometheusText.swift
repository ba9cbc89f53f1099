/// The Prometheus text format (prometheus.io, "Exposition formats").
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func render(
        kinds: [String: PrometheusRegistry.Kind], series: [PrometheusRegistry.Series: any PrometheusSeries]
    ) -> String {
        var text = ""
        let byName = Dictionary(grouping: series, by: { $0.key.name })
        for (name, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(kind.rawValue)\n"
            for (key, handler) in (byName[name] ?? []).sorted(by: { $0.key.labels < $1.key.labels }) {
                for sample in handler.samples {
                    let labels = braced([key.labels, sample.label.map { pair($0.0, $0.1) } ?? ""])
                    text += "\(name)\(sample.suffix)\(labels) \(number(sample.value))\n"
                }
            }
        }
        return text
    }

    /// Pairs without braces, sorted by name.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { (name($0.0, allowEmpty: false), $0.1) }.sorted { $0.0 < $1.0 }.map(pair).joined(separator: ",")
    }

    /// `text` with everything that a name may not hold replaced by `_`.
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
        // Whole numbers that a Double holds exactly look like integers.
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
