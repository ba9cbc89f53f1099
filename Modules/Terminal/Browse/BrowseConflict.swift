import StrataDomain

/// Both sides of a conflict, with whole values, because a user chooses between them.
struct BrowseConflict: Sendable {
    let id: SyncConflict.ID
    private let conflict: SyncConflict

    init(_ conflict: SyncConflict) { (id, self.conflict) = (conflict.id, conflict) }

    /// What differs, field by field, then what is the same on both sides.
    func lines(width: Int) -> [Text] {
        let heading = WrappedText.lines(conflict.reason, width: max(1, width)).map { Text($0, .bold) }
        return heading + [Text("")] + body(max(1, width))
    }

    private func body(_ width: Int) -> [Text] {
        guard let local = conflict.local else {
            return [Text("The server has:", .yellow)] + values(of: conflict.remote ?? [:], width)
        }
        guard let remote = conflict.remote else { return [Text("Here it is:", .yellow)] + values(of: local, width) }
        let base = conflict.base ?? [:]
        let names = Set(base.keys).union(local.keys).union(remote.keys).sorted()
        let (differing, same) = (
            names.filter { local[$0] ?? .null != remote[$0] ?? .null },
            names.filter { local[$0] ?? .null == remote[$0] ?? .null }
        )
        var lines: [Text] = []
        // Fields that merge by themselves come after those that do not.
        for name in differing.filter(conflict.fields.contains) + differing.filter({ !conflict.fields.contains($0) }) {
            lines.append(Text(name, conflict.fields.contains(name) ? .yellow : .dim))
            for (side, row) in [("before", base), ("local", local), ("server", remote)] {
                lines += Self.field("  " + side, row[name], width, nameWidth: 10)
            }
            lines.append(Text(""))
        }
        guard !same.isEmpty else { return lines }
        return lines + [Text("The same on both sides:", .dim)]
            + values(of: local.filter { same.contains($0.key) }, width)
    }

    private func values(of row: [String: JSONValue], _ width: Int) -> [Text] {
        let nameWidth = min(20, row.keys.reduce(0) { max($0, DisplayWidth.cells($1)) } + 4)
        return row.sorted { $0.key < $1.key }.flatMap {
            Self.field("  " + $0.key, $0.value, width, nameWidth: nameWidth)
        }
    }

    private static func field(_ name: String, _ value: JSONValue?, _ width: Int, nameWidth: Int) -> [Text] {
        let text = value.map { $0 == .null ? "none" : $0.shortText } ?? "none"
        return WrappedText.lines(text, width: max(8, width - nameWidth)).enumerated().map { number, part in
            let name = number == 0 ? name : ""
            let gap = String(repeating: " ", count: max(1, nameWidth - DisplayWidth.cells(SafeText.oneLine(name))))
            return Text(name, .dim) + Text(gap + part)
        }
    }
}
