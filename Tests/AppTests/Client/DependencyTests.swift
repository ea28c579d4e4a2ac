import Foundation
import Testing

private let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
private var files: FileManager { .default }

/// An app that adds the package gets the library, and nothing of the service.
@Suite struct DependencyTests {
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

  /// The targets for apps, each with a product of its name.
  private static let libraries = [
    "PostilionClient", "PostilionCalls", "PostilionLocation", "PostilionObjectiveC",
    "PostilionClientTesting",
  ]

  @Test func anAppThatAddsThePackageNeedsNothingOfTheService() async throws {
    let root = files.temporaryDirectory.appendingPathComponent("client of \(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    try files.createDirectory(at: root, withIntermediateDirectories: true)
    let package = try await Self.makePackage(in: root)
    let other = root.appendingPathComponent("other")
    try Self.writePackage(with: try await Self.targetsOfTheService(in: root), at: other)
    let app = root.appendingPathComponent("app")
    try Self.writeApp(at: app, of: package, and: other)
    // No pkg-config file is found: the system libraries are as good as absent.
    let built = try await Self.run(
      ["swift", "build"], in: app,
      ["PKG_CONFIG_PATH": "", "PKG_CONFIG_LIBDIR": "/nonexistent"])
    #expect(built.status == 0, "\(built.output)")
    let modules = try files.contentsOfDirectory(
      atPath: app.appendingPathComponent(".build/debug/Modules").path)
    let names = Set(modules.compactMap { $0.split(separator: ".").first.map(String.init) })
    #expect(names == ["app", "JSON", "PostilionCalls", "PostilionClient"])
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

  /// An app that uses the library, and the product `JSON` of another package.
  private static func writeApp(at directory: URL, of package: URL, and other: URL) throws {
    try write(
      """
      // swift-tools-version: 5.9
      import PackageDescription
      let package = Package(
        name: "app",
        platforms: [.macOS(.v12)],
        dependencies: [
          .package(url: "file://\(package.path)", from: "1.0.0"),
          .package(path: "\(other.path)"),
        ],
        targets: [
          .executableTarget(
            name: "app",
            dependencies: [
              .product(name: "PostilionClient", package: "postilion-client"),
              .product(name: "PostilionCalls", package: "postilion-client"),
              .product(name: "JSON", package: "other"),
            ])
        ])
      """, to: directory.appendingPathComponent("Package.swift"))
    try write(
      """
      import Foundation
      import JSON
      import PostilionCalls
      import PostilionClient
      _ = CallReceiver()
      Postilion.shared.register(token: Data([1, 2, 3]), for: .apns)
      """, to: directory.appendingPathComponent("Sources/app/main.swift"))
  }

  /// The package as a release makes it, of the files as they are here. The same files make the same
  /// package.
  private static func makePackage(in root: URL) async throws -> URL {
    let source = root.appendingPathComponent("source")
    for path in ["LICENSE", "Sources/AppLibraries", "deploy/make-client.sh"] {
      let copy = source.appendingPathComponent(path)
      try files.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: repository.appendingPathComponent(path), to: copy)
    }
    let git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    let package = root.appendingPathComponent("postilion-client.git")
    let make = ["deploy/make-client.sh", "1.0.0", root.path]
    let tell = ["git", "-C", package.path, "rev-parse", "1.0.0"]
    var told: [String] = []
    for arguments in [
      git + ["init", "-q"], git + ["add", "-A"], git + ["commit", "-qm", "a"],
      make, tell, make, tell,
    ] {
      let result = try await run(arguments, in: source)
      try #require(result.status == 0, "\(result.output)")
      if arguments == tell { told.append(result.output) }
    }
    #expect(told[0] == told[1])
    return package
  }

  /// Writes a file, and makes the folders on the way to it.
  private static func write(_ text: String, to file: URL) throws {
    try files.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}
