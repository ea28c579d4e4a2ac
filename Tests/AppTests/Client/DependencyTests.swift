import Foundation
import Testing

private let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
private var files: FileManager { .default }

/// An app that adds the package gets the library, and nothing of the service.
@Suite(.serialized) struct DependencyTests {
  /// Runs a command behind all other tests. No thread waits for it, as they need the few that there
  /// are.
  /// - Returns: Its status and all that it wrote.
  private static func run(
    _ arguments: [String], in directory: URL, _ environment: [String: String] = [:]
  ) async throws -> (status: Int32, output: String) {
    let file = files.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? files.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    defer { try? output.close() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["nice"] + arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = output
    let end = process.ended
    try process.run()
    for await _ in end {}
    return (process.terminationStatus, try String(contentsOf: file, encoding: .utf8))
  }

  /// What the package is for an app: the manifest, and the folders that it needs.
  enum Offer: String, CaseIterable {
    /// That of today's tools on Linux, where the service builds, too.
    case onLinux
    /// The same as a Mac reads it.
    case onMac
    /// That of older tools.
    case older

    func manifest() throws -> String {
      let name = self == .older ? "Package@swift-5.9.swift" : "Package.swift"
      let file = repository.appendingPathComponent(name)
      let text = try String(contentsOf: file, encoding: .utf8)
      // The tests run on Linux: `#if os(macOS)` is false there, as `#if os(Linux)` is on a Mac.
      return self == .onMac ? text.replacing("os(Linux)", with: "os(macOS)") : text
    }

    var folders: [String] {
      self == .onLinux
        ? ["Sources", "Tests", "Examples"]
        : DependencyTests.libraries.map { "Sources/AppLibraries/\($0)" }
    }
  }

  /// The targets for apps, each with a product of its name.
  private static let libraries = [
    "PostilionClient", "PostilionCalls", "PostilionLiveActivities", "PostilionLocation",
    "PostilionNowPlaying", "PostilionWidgets", "PostilionObjectiveC", "PostilionClientTesting",
  ]

  @Test(arguments: Offer.allCases)
  func anAppThatAddsThePackageNeedsNothingOfTheService(_ offer: Offer) async throws {
    let root = files.temporaryDirectory.appendingPathComponent("client of \(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    let package = root.appendingPathComponent("postilion")
    for folder in offer.folders {
      let target = package.appendingPathComponent(folder)
      try files.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: repository.appendingPathComponent(folder), to: target)
    }
    try Self.write(try offer.manifest(), to: package.appendingPathComponent("Package.swift"))
    // SwiftPM refuses flags only in versions of a repository.
    try await Self.tag(package)
    // On Linux no other package may have a target of the same name.
    let other = root.appendingPathComponent("other")
    if offer != .onLinux {
      try Self.writePackage(with: try await Self.targetsOfTheService(in: root), at: other)
    }
    let app = root.appendingPathComponent("app")
    try Self.writeApp(at: app, of: package, and: offer == .onLinux ? nil : other)
    // No pkg-config file is found: the system libraries are as good as absent.
    let built = try await Self.run(
      ["swift", "build"], in: app,
      ["PKG_CONFIG_PATH": "", "PKG_CONFIG_LIBDIR": "/nonexistent"])
    #expect(built.status == 0, "\(built.output)")
    let modules = try files.contentsOfDirectory(
      atPath: app.appendingPathComponent(".build/debug/Modules").path)
    let names = Set(modules.compactMap { $0.split(separator: ".").first.map(String.init) })
    let used: Set = ["app", "PostilionCalls", "PostilionClient"]
    #expect(names == (offer == .onLinux ? used : used.union(["JSON"])))
  }

  /// The names of all targets but those for apps.
  /// - Parameter scratch: Where SwiftPM writes; the tests have the folder of the repository in use.
  private static func targetsOfTheService(in scratch: URL) async throws -> [String] {
    struct Manifest: Decodable {
      struct Target: Decodable { var name: String }
      var targets: [Target]
    }
    let told = try await run(
      ["swift", "package", "--scratch-path", scratch.path, "dump-package"], in: repository)
    let text = told.output.drop { $0 != "{" }
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(text.utf8))
    return manifest.targets.map(\.name).filter { !libraries.contains($0) }
  }

  /// A package of somebody else, whose targets have the names of ours.
  private static func writePackage(with targets: [String], at directory: URL) throws {
    try #require(targets.count > 50)
    let list = targets.map { ".target(name: \"\($0)\")" }.joined(separator: ",\n    ")
    try write(
      """
      // swift-tools-version: 5.9
      import PackageDescription
      let package = Package(
        name: "other",
        products: [.library(name: "JSON", targets: ["JSON"])],
        targets: [
          \(list)
        ])
      """, to: directory.appendingPathComponent("Package.swift"))
    for target in targets {
      try write(
        "public let value = 1\n",
        to: directory.appendingPathComponent("Sources/\(target)/\(target).swift"))
    }
  }

  /// An app that uses the library, and maybe the product `JSON` of another package.
  private static func writeApp(at directory: URL, of package: URL, and other: URL?) throws {
    try write(
      """
      // swift-tools-version: 5.9
      import PackageDescription
      let package = Package(
        name: "app",
        platforms: [.macOS(.v12)],
        dependencies: [
          .package(url: "file://\(package.path)", from: "1.0.0"),
          \(other.map { ".package(path: \"\($0.path)\")" } ?? "")
        ],
        targets: [
          .executableTarget(
            name: "app",
            dependencies: [
              .product(name: "PostilionClient", package: "postilion"),
              .product(name: "PostilionCalls", package: "postilion"),
              \(other == nil ? "" : ".product(name: \"JSON\", package: \"other\")")
            ])
        ])
      """, to: directory.appendingPathComponent("Package.swift"))
    try write(
      """
      import Foundation
      \(other == nil ? "" : "import JSON")
      import PostilionCalls
      import PostilionClient
      _ = CallReceiver()
      Postilion.shared.register(deviceToken: Data([1, 2, 3]))
      """, to: directory.appendingPathComponent("Sources/app/main.swift"))
  }

  /// Makes a directory a repository with a version.
  private static func tag(_ directory: URL) async throws {
    let git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in [
      ["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"], ["tag", "1.0.0"],
    ] {
      let result = try await run(git + arguments, in: directory)
      #expect(result.status == 0, "\(result.output)")
    }
  }

  /// Writes a file, and makes the folders on the way to it.
  private static func write(_ text: String, to file: URL) throws {
    try files.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}
