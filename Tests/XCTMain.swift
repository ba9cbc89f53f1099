import Foundation
import Testing

/// Where every test run starts.
///
/// The package manager would write this file itself after reading the compiler's index, which our builds leave out to
/// save a fifth of their time. All tests are Swift Testing's. Beside an entry point of its own, the package manager
/// starts them only with `--enable-swift-testing`, which `Scripts/test` passes; a plain `swift test` asks for the tests
/// of XCTest, and gets all of ours. To choose among them it would need XCTest's list, which is empty.
@main struct TestRun {
    static func main() async {
        if CommandLine.arguments.contains("--dump-tests-json") {
            let sentence = "These tests are Swift Testing's; choose among them with 'Scripts/test --filter NAME'.\n"
            try? FileHandle.standardError.write(contentsOf: Data(sentence.utf8))
            exit(EXIT_FAILURE)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
