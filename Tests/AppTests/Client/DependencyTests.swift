import Foundation
import Testing

/// An app that adds the package gets the library, and nothing of the service.
@Suite struct DependencyTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Runs a command.
  /// - Returns: Its status and all that it wrote.
  private static func run(
    _ arguments: [String], in directory: URL, _ environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  /// With the manifest of today's tools, and with that of older ones.
  @Test(arguments: ["Package.swift", "Package@swift-5.9.swift"])
  func anAppThatAddsThePackageNeedsNothingOfTheService(_ manifest: String) throws {
    let files = FileManager.default
    let root = files.temporaryDirectory.appendingPathComponent("client of \(UUID().uuidString)")
    defer { try? files.removeItem(at: root) }
    let package = root.appendingPathComponent("postilion")
    let app = root.appendingPathComponent("app")
    try files.createDirectory(at: package, withIntermediateDirectories: true)
    try files.createDirectory(
      at: app.appendingPathComponent("Sources/app"), withIntermediateDirectories: true)
    // SwiftPM refuses flags only in versions of a repository.
    try files.copyItem(
      at: Self.repository.appendingPathComponent(manifest),
      to: package.appendingPathComponent("Package.swift"))
    let isWhole = manifest == "Package.swift"
    for folder in isWhole ? ["Sources", "Tests"] : ["Sources/PostilionClient"] {
      let target = package.appendingPathComponent(folder)
      try files.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(at: Self.repository.appendingPathComponent(folder), to: target)
    }
    let git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in [
      ["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"], ["tag", "1.0.0"],
    ] {
      let result = try Self.run(git + arguments, in: package)
      #expect(result.status == 0, "\(result.output)")
    }
    try """
    // swift-tools-version: 5.9
    import PackageDescription
    let package = Package(
      name: "app",
      platforms: [.macOS(.v12)],
      dependencies: [.package(url: "file://\(package.path)", from: "1.0.0")],
      targets: [
        .executableTarget(
          name: "app",
          dependencies: [.product(name: "PostilionClient", package: "postilion")])
      ])
    """.write(
      to: app.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    try """
    import Foundation
    import PostilionClient
    Postilion.shared.register(deviceToken: Data([1, 2, 3]))
    """.write(
      to: app.appendingPathComponent("Sources/app/main.swift"), atomically: true,
      encoding: .utf8)
    // No pkg-config file is found: the system libraries are as good as absent.
    let built = try Self.run(
      ["swift", "build"], in: app,
      ["PKG_CONFIG_PATH": "", "PKG_CONFIG_LIBDIR": "/nonexistent"])
    #expect(built.status == 0, "\(built.output)")
    let modules = try files.contentsOfDirectory(
      atPath: app.appendingPathComponent(".build/debug/Modules").path)
    let names = Set(modules.compactMap { $0.split(separator: ".").first.map(String.init) })
    #expect(names == ["app", "PostilionClient"])
  }
}
