extension Open: ParameterValue where Known.RawValue == String {
    public static var parameterKind: String { "text" }
}

extension Open: MultipleParameter where Known.RawValue == String {}
