// swift-tools-version: 5.9
import PackageDescription

// The package that apps add: the libraries, and nothing of the service. `deploy/make-client.sh`
// makes a repository of this folder.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableExperimentalFeature("StrictConcurrency"),
]
let core: Target = .target(
  name: "PostilionClient", path: "PostilionClient",
  resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings)
let others: [Target] = [
  "PostilionCalls", "PostilionLocation", "PostilionObjectiveC", "PostilionClientTesting",
].map {
  .target(name: $0, dependencies: ["PostilionClient"], path: $0, swiftSettings: settings)
}
let apps = [core] + others
let package = Package(
  name: "postilion-client",
  platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: apps.map { .library(name: $0.name, targets: [$0.name]) },
  targets: apps
)
