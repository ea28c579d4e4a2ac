import Foundation

/// A number that an environment variable says, such as how long a campaign is.
/// - Parameter standard: What counts without the variable.
public func environmentNumber(_ variable: String, _ standard: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? standard
}
