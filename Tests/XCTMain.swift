import Testing

/// Where every test run starts.
///
/// The package manager would write this file itself after reading the compiler's index, which our builds leave out to
/// save a fifth of their time. All tests are Swift Testing's; asked for another library's, there is nothing to run.
@main struct TestRun {
    static func main() async {
        let arguments = CommandLine.arguments
        guard let option = arguments.firstIndex(of: "--testing-library"),
            arguments.dropFirst(option + 1).first == "swift-testing"
        else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
