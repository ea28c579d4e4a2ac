// swift-format-ignore-file
// What Foundation has on Apple's systems and not on Linux, as far as this repository uses it: a
// part of each module that is checked.
import Foundation

#if !os(macOS)
  extension ProcessInfo {
    func performExpiringActivity(
      withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) { fatalError() }
  }
#endif

#if os(macOS) || targetEnvironment(macCatalyst)
  func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ oldp: UnsafeMutableRawPointer!,
    _ oldlenp: UnsafeMutablePointer<Int>!, _ newp: UnsafeMutableRawPointer!, _ newlen: Int
  ) -> Int32 { fatalError() }
#endif
