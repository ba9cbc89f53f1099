/// Makes the imports of a file fit what its lines turned out to be.
enum Imports {
    /// Modules of other features are named by references; Foundation is needed where a type of it is.
    static func tended(_ lines: [String], for spec: FeatureSpec) -> [String] {
        let usesFoundation = lines.contains { line in
            ["Date", "UUID", "URL"].contains { line.contains(": \($0)") && line.hasWord($0) }
        }
        var tended: [String] = []
        for line in lines {
            switch line {
            case "package import FoundationEssentials" where !usesFoundation: continue
            case "package import AccountsDomain":
                tended += spec.references.filter { $0.module != spec.module }.map {
                    "package import \($0.module)Domain"
                }
            default: tended.append(line)
            }
        }
        // The formatter sorts them; a file never starts or ends with a blank line.
        while tended.first == "" { tended.removeFirst() }
        while tended.last == "" { tended.removeLast() }
        return tended + [""]
    }
}
