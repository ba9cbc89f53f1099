extension JSONForm {
    /// The form in which a request is being built; `nil` outside. It is bound for the time of one synchronous `request()` only.
    @TaskLocal static var current: JSONForm?

    /// The result of `body`, in which `JSONForm.current` is this form.
    func bound<Value>(_ body: () throws(EndpointError) -> Value) throws(EndpointError) -> Value {
        try Self.$current.withValue(self) { Result(catching: body) }.get()
    }
}
