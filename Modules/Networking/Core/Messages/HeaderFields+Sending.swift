import StrataDomain

extension HeaderFields {
    /// Puts the fields of `other` in place of those of the same names.
    mutating func overlay(_ other: HeaderFields) {
        for field in other { self[field.name] = nil }
        for field in other { add(field.name, field.value) }
    }

    /// These fields, those of `other` in place of the ones of the same names.
    func overlaid(with other: HeaderFields) -> HeaderFields {
        var result = self
        result.overlay(other)
        return result
    }
}
