import Foundation

/// Modules with the public signatures of Apple's frameworks, made of `Tests/Fixtures/AppleStubs`.
/// With them a compiler on Linux checks the code that is for Apple's systems only.
///
/// What they cannot show: whether the signatures are Apple's (they are written by its
/// documentation), whether a declaration is there on the oldest system, and whatever is the
/// business of Objective-C.
struct AppleStubs: Sendable {
  /// A kind of system, by the frameworks that it has.
  enum System: String, CaseIterable, Sendable {
    case ios, macos

    /// The stubs that only this system has. A later one may import an earlier one.
    var modules: [String] {
      switch self {
      case .ios: ["UIKit", "PushKit", "CallKit", "SwiftUI"]
      case .macos: ["AppKit"]
      }
    }

    /// `os(iOS)` is false on Linux. What depends on it asks for this, too.
    var conditions: [String] { self == .ios ? ["-D", "POSTILION_STUBS"] : [] }
  }

  /// A language that the library is written in.
  enum Language: String, CaseIterable, Sendable {
    case swift6, swift5

    var arguments: [String] {
      switch self {
      case .swift6: ["-swift-version", "6"]
      case .swift5: ["-swift-version", "5", "-strict-concurrency=complete"]
      }
    }
  }

  /// A stub does not compile: a mistake of the stub.
  struct Broken: Error { var diagnostics: String }

  /// All systems have these stubs.
  private static let common = ["CoreLocation", "UserNotifications", "Security", "os"]

  /// The directory of the repository.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The stubs of the suite that is running; ``CompiledStubs`` makes them.
  @TaskLocal static var current: AppleStubs?

  private let compiler: SwiftCompiler
  private let directory: URL

  /// Stubs that are not compiled yet.
  init() throws {
    compiler = try SwiftCompiler()
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("apple-stubs-\(UUID().uuidString)", isDirectory: true)
  }

  /// Compiles the stubs, and the library as an app sees it.
  func compile() async throws {
    for module in Self.common { try await make(module, in: "common") }
    for system in System.allCases {
      for module in system.modules { try await make(module, in: system.rawValue) }
    }
    try await make(
      "PostilionClient", in: System.ios.rawValue, of: Self.sources(in: "Sources/PostilionClient"),
      System.ios.conditions)
  }

  /// Removes the modules.
  func remove() { try? FileManager.default.removeItem(at: directory) }

  /// Type-checks files of the repository, with warnings as errors.
  ///
  /// - Returns: what the compiler said; empty if all is well.
  func diagnostics(
    of place: String, on system: System, in language: Language
  ) async throws -> String {
    try await diagnostics(of: Self.sources(in: place), on: system, in: language)
  }

  /// Type-checks one file with this text.
  func diagnostics(of text: String, named name: String) async throws -> String {
    let file = directory.appendingPathComponent(name)
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try await diagnostics(of: [file.path], on: .ios, in: .swift6)
  }

  private func diagnostics(
    of files: [String], on system: System, in language: Language
  ) async throws -> String {
    try await compiler.diagnostics(
      ["-typecheck", "-wmo", "-parse-as-library", "-module-name", "Checked"]
        + ["-warnings-as-errors"]
        + ["-enable-upcoming-feature", "ExistentialAny"] + language.arguments + system.conditions
        + search(system.rawValue) + files)
  }

  /// Makes a module. Its enumerations may grow, as those of Apple's do: hence library evolution.
  private func make(
    _ module: String, in folder: String, of files: [String]? = nil, _ arguments: [String] = []
  ) async throws {
    let place = directory.appendingPathComponent(folder, isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let stub = Self.root.appendingPathComponent("Tests/Fixtures/AppleStubs/\(module).swift").path
    let file = place.appendingPathComponent("\(module).swiftmodule").path
    let diagnostics = try await compiler.diagnostics(
      ["-emit-module", "-wmo", "-parse-as-library", "-enable-library-evolution"]
        + ["-suppress-warnings", "-Xfrontend", "-experimental-skip-non-inlinable-function-bodies"]
        + ["-swift-version", "6", "-module-name", module, "-emit-module-path", file] + arguments
        + search(folder) + (files ?? [stub]))
    guard diagnostics.isEmpty else { throw Broken(diagnostics: diagnostics) }
  }

  private func search(_ folder: String) -> [String] {
    ["common", folder].flatMap { ["-I", directory.appendingPathComponent($0).path] }
  }

  /// The paths of all Swift files in a folder of the repository.
  private static func sources(in place: String) -> [String] {
    let folder = root.appendingPathComponent(place).resolvingSymlinksInPath()
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (all ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
      folder.appendingPathComponent($0).path
    }
  }
}
