// swift-tools-version: 5.9
import PackageDescription

// For tools older than those of Package.swift: the libraries for apps, and nothing of the service.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableExperimentalFeature("StrictConcurrency"),
]
let apps: [Target] = [
  .target(
    name: "PostilionClient", path: "Sources/AppLibraries/PostilionClient",
    resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
  .target(
    name: "PostilionCalls", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionCalls", swiftSettings: settings),
  .target(
    name: "PostilionLiveActivities", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionLiveActivities", swiftSettings: settings),
  .target(
    name: "PostilionLocation", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionLocation", swiftSettings: settings),
  .target(
    name: "PostilionNowPlaying", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionNowPlaying", swiftSettings: settings),
  .target(
    name: "PostilionWidgets", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionWidgets", swiftSettings: settings),
  .target(
    name: "PostilionObjectiveC", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionObjectiveC", swiftSettings: settings),
  .target(
    name: "PostilionClientTesting", dependencies: ["PostilionClient"],
    path: "Sources/AppLibraries/PostilionClientTesting", swiftSettings: settings),
]
let package = Package(
  name: "postilion",
  platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: apps.map { .library(name: $0.name, targets: [$0.name]) },
  targets: apps
)
