// swift-tools-version: 5.9
import PackageDescription

// For tools older than those of Package.swift: the library for apps, and nothing of the service.
let package = Package(
  name: "postilion",
  platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: [.library(name: "PostilionClient", targets: ["PostilionClient"])],
  targets: [
    .target(
      name: "PostilionClient", resources: [.copy("PrivacyInfo.xcprivacy")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableExperimentalFeature("StrictConcurrency"),
      ])
  ]
)
