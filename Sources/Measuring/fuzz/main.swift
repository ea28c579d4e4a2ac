// `make fuzz`: libFuzzer calls one target again and again with inputs that it makes itself, led by
// what code they reach. `fuzz --list` names the targets, `fuzz strings FILE` repeats a finding.

internal import Foundation

/// libFuzzer's own main function, given the function to call; its archive brings it along.
/// Source: compiler-rt, `FuzzerInterface.h`.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

let name = CommandLine.arguments.dropFirst().first ?? "--list"
let target = Target(rawValue: name)
if target == nil {
  print(Target.allCases.map(\.rawValue).joined(separator: "\n"))
  exit(name == "--list" ? 0 : 2)
}

// libFuzzer gets the arguments behind the target's name, and the program's name before them.
var count = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
arguments[0] = CommandLine.unsafeArgv[0]
exit(
  runFuzzer(&count, &arguments) { start, count in
    target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  })
