import Foundation

/// Modules with the public signatures of Apple's frameworks, made of `Tests/Fixtures/AppleStubs`.
/// With them a compiler on Linux checks the code that is for Apple's systems only.
///
/// The compiler knows the system that it compiles for, which is Linux. So the sources are copied
/// first, with `OS_iOS` in place of `os(iOS)`, and that is defined when the check is for iOS.
///
/// What they cannot show: whether the signatures are Apple's (they are written by its
/// documentation), whether a declaration is there on the oldest system, and whatever is the
/// business of Objective-C.
struct AppleStubs: Sendable {
  /// A system of the manifest, by the frameworks that it has. Catalyst is iOS on a Mac.
  enum System: String, CaseIterable, Sendable {
    case ios, catalyst, macos, tvos, watchos, visionos

    /// The stubs that it has. A later one may import an earlier one.
    var modules: [String] {
      let common = ["CoreLocation", "UserNotifications", "Security", "os"]
      return switch self {
      case .ios:
        common + [
          "UIKit", "PushKit", "CallKit", "SwiftUI", "React", "Flutter", "Capacitor", "ActivityKit",
          "WidgetKit", "NowPlaying",
        ]
      case .visionos:
        common + ["UIKit", "PushKit", "CallKit", "SwiftUI", "WidgetKit", "NowPlaying"]
      case .catalyst:
        common + [
          "UIKit", "AppKit", "PushKit", "CallKit", "SwiftUI", "ActivityKit", "WidgetKit",
          "NowPlaying",
        ]
      case .macos: common + ["AppKit", "PushKit", "WidgetKit", "NowPlaying"]
      case .tvos: common + ["UIKit", "SwiftUI", "NowPlaying"]
      case .watchos: common + ["UIKit", "PushKit", "CallKit", "WidgetKit", "NowPlaying"]
      }
    }

    /// What is true of it in the copies.
    var conditions: [String] {
      let words =
        switch self {
        case .ios: ["OS_iOS"]
        case .catalyst: ["OS_iOS", "MAC_CATALYST"]
        case .macos: ["OS_macOS"]
        case .tvos: ["OS_tvOS"]
        case .watchos: ["OS_watchOS"]
        case .visionos: ["OS_visionOS"]
        }
      return (words + ["OBJECTIVE_C"]).flatMap { ["-D", $0] }
    }
  }

  /// A language that code is written in.
  enum Language: String, CaseIterable, Sendable {
    case swift6, swift5Complete, swift5

    var arguments: [String] {
      switch self {
      case .swift6: ["-swift-version", "6"]
      case .swift5Complete: ["-swift-version", "5", "-strict-concurrency=complete"]
      case .swift5: ["-swift-version", "5"]
      }
    }
  }

  /// Whose code is checked, and to which actor it belongs where it does not say so.
  enum Isolation: String, CaseIterable, Sendable {
    case nobody, mainActor

    var arguments: [String] { self == .mainActor ? ["-default-isolation", "MainActor"] : [] }
  }

  /// A stub does not compile: a mistake of the stub.
  struct Broken: Error { var diagnostics: String }

  /// What only the modules of the library see of each other.
  private static let package = ["-package-name", "postilion"]

  /// The modules of the library. A later one may import an earlier one.
  static let library = [
    "PostilionClient", "PostilionCalls", "PostilionLocation", "PostilionObjectiveC",
    "PostilionClientTesting",
  ]

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
    for system in System.allCases {
      for module in system.modules {
        let stub = Self.root.appendingPathComponent("Tests/Fixtures/AppleStubs/\(module).swift")
        // Their enumerations may grow, as those of Apple's do.
        try await make(module, of: [copy(stub)], for: system, ["-enable-library-evolution"])
      }
      for module in Self.library {
        try await make(module, of: sources(of: module), for: system, Self.package)
      }
    }
  }

  /// Removes the modules.
  func remove() { try? FileManager.default.removeItem(at: directory) }

  /// Type-checks a module of the library, with warnings as errors.
  ///
  /// - Returns: what the compiler said; empty if all is well.
  func diagnostics(
    ofModule module: String, on system: System, in language: Language
  ) async throws -> String {
    try await diagnostics(
      of: sources(of: module), on: system, language.arguments + Self.package)
  }

  /// Type-checks the files of a folder as those of an app, with warnings as errors.
  func diagnostics(
    ofApp place: String, on system: System, in language: Language, _ isolation: Isolation
  ) async throws -> String {
    try await diagnostics(
      of: Self.files(in: place).map(copy), on: system, language.arguments + isolation.arguments)
  }

  /// Type-checks one file with this text, as that of an app on iOS.
  func diagnostics(
    of text: String, named name: String, in language: Language = .swift6,
    _ isolation: Isolation = .nobody
  ) async throws -> String {
    let file = directory.appendingPathComponent(name)
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try await diagnostics(
      of: [try copy(file)], on: .ios, language.arguments + isolation.arguments)
  }

  /// What an app on iOS sees of a module of the library, as Swift declares it. The compiler reads
  /// it back, which fails if a type has the name of its module: that would hide the others from an
  /// app that has to write the module's name before theirs.
  func interface(of module: String) async throws -> String {
    let file = directory.appendingPathComponent("\(module).swiftinterface")
    let diagnostics = try await compiler.diagnostics(
      ["-emit-module", "-wmo", "-parse-as-library", "-enable-library-evolution"]
        + ["-suppress-warnings", "-swift-version", "6", "-module-name", module]
        + ["-emit-module-interface-path", file.path]
        + ["-emit-module-path", directory.appendingPathComponent("interface.swiftmodule").path]
        + Self.package + System.ios.conditions + ["-I", modules(of: .ios).path]
        + sources(of: module))
    guard diagnostics.isEmpty else { throw Broken(diagnostics: diagnostics) }
    // The first lines name the compiler and its options.
    return try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("//") }.joined(separator: "\n")
  }

  private func diagnostics(
    of files: [String], on system: System, _ arguments: [String]
  ) async throws -> String {
    try await compiler.diagnostics(
      ["-typecheck", "-wmo", "-parse-as-library", "-module-name", "Checked"]
        + ["-warnings-as-errors"]
        + ["-enable-upcoming-feature", "ExistentialAny"] + arguments + system.conditions
        + ["-I", modules(of: system).path] + files)
  }

  /// Makes a module.
  private func make(
    _ module: String, of files: [String], for system: System, _ arguments: [String]
  ) async throws {
    let place = modules(of: system)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let diagnostics = try await compiler.diagnostics(
      ["-emit-module", "-wmo", "-parse-as-library", "-suppress-warnings"]
        + ["-Xfrontend", "-experimental-skip-non-inlinable-function-bodies"]
        + ["-swift-version", "6", "-module-name", module]
        + ["-emit-module-path", place.appendingPathComponent("\(module).swiftmodule").path]
        + arguments + system.conditions + ["-I", place.path] + files)
    guard diagnostics.isEmpty else { throw Broken(diagnostics: diagnostics) }
  }

  private func modules(of system: System) -> URL {
    directory.appendingPathComponent(system.rawValue, isDirectory: true)
  }

  /// Copies of the files of a module, and of what Foundation lacks on Linux.
  private func sources(of module: String) throws -> [String] {
    let additions = Self.root.appendingPathComponent("Tests/Fixtures/AppleStubs/Foundation.swift")
    return try (Self.files(in: "Sources/AppLibraries/\(module)") + [additions]).map(copy)
  }

  /// Copies a file, so that its conditions can be true on Linux. Its lines stay where they are.
  /// Names for Objective-C, of which there is none on Linux, are left out.
  private func copy(_ file: URL) throws -> String {
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.components(separatedBy: "\n").map { line -> String in
      let line = line.replacing(/@objc(\([^)]*\))? ?/, with: "")
      guard line.contains("#if ") || line.contains("#elseif ") else { return line }
      return line.replacing(/\bos\((\w+)\)/) { "OS_\($0.1)" }
        .replacing("targetEnvironment(macCatalyst)", with: "MAC_CATALYST")
        .replacing("canImport(ObjectiveC)", with: "OBJECTIVE_C")
    }
    let path = file.path.replacing(Self.root.path, with: "")
    let copy = directory.appendingPathComponent("sources/\(path)")
    try FileManager.default.createDirectory(
      at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
    try lines.joined(separator: "\n").write(to: copy, atomically: true, encoding: .utf8)
    return copy.path
  }

  /// All Swift files in a folder of the repository.
  private static func files(in place: String) -> [URL] {
    let folder = root.appendingPathComponent(place).resolvingSymlinksInPath()
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (all ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
      folder.appendingPathComponent($0)
    }
  }
}
