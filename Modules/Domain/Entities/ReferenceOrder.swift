/// The order of collections by what they refer to.
package enum ReferenceOrder {
    /// How far each collection is from one that refers to none: 1 for that, and 1 more than the farthest of its targets for others. A
    /// row that names another is released, or deleted, before it: larger numbers first.
    ///
    /// - Parameter targets: The collections that each one refers to. Those in a circle get any number.
    package static func depths(_ targets: [String: [String]]) -> [String: Int] {
        var depths: [String: Int] = [:]
        func add(_ name: String, _ waiting: Set<String>) -> Int {
            if let known = depths[name] { return known }
            guard let targets = targets[name], !waiting.contains(name) else { return 0 }
            let farthest = targets.map { add($0, waiting.union([name])) }.max() ?? 0
            depths[name] = farthest + 1
            return farthest + 1
        }
        for name in targets.keys.sorted() { _ = add(name, []) }
        return depths
    }

    /// A circle of collections, each with the one that it refers to behind it: `teams, shifts, teams`. `nil` where there is none.
    package static func circle(_ targets: [String: [String]]) -> [String]? {
        var settled: Set<String> = []
        func find(_ name: String, _ path: [String]) -> [String]? {
            if let start = path.firstIndex(of: name) { return Array(path[start...]) + [name] }
            guard !settled.contains(name) else { return nil }
            for target in targets[name] ?? [] {
                if let circle = find(target, path + [name]) { return circle }
            }
            settled.insert(name)
            return nil
        }
        for name in targets.keys.sorted() {
            if let circle = find(name, []) { return circle }
        }
        return nil
    }
}
