// swift-tools-version: 6.2
import PackageDescription

/// Arrows between targets are compile errors, not convention: a target sees only what it lists
/// here, and what it shows of it must be said with `public import`.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  // Generic code of one target is specialized in another: a tenth of the time of a render.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

/// The folder of each target: `ls Sources` shows the floors of `docs/architecture.md`.
let floors = [
  "CommandLine": ["postilion", "Commands", "CommandLineGrammar"],
  "Server": ["App", "Registry", "Content", "Console"],
  "Mechanisms": ["EventLoop", "HTTPServer", "HTTPClient", "Postgres", "Telemetry"],
  "Texts": ["Rendering", "CatalogFormats", "Localization", "DeviceProfile", "APNs", "Records"],
  "Basics": ["ASCII", "JSON", "HTTP", "Crypto", "Zip"],
  "C": ["CLinux", "CResources", "CValgrind", "CLibpq", "CCrypto", "CZlib", "CCurl"],
  "Measuring": ["bench", "fuzz"],
  "Testing": ["AppTesting", "TestSupport"],
]

func path(_ name: String) -> String {
  let floor = floors.first { $0.value.contains(name) }?.key ?? "AppLibraries"
  return "Sources/\(floor)/\(name)"
}

func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  resources: [Resource] = [], linker: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path(name), exclude: exclude,
    resources: resources, swiftSettings: strict, linkerSettings: linker)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// The libraries for apps. They use no target of the service. Apps add them by a package of their
// own, `Sources/AppLibraries/Package.swift`: another package of an app may have a target `JSON`.
let appSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
]
let apps: [Target] = [
  .target(
    name: "PostilionClient", path: path("PostilionClient"),
    resources: [.copy("PrivacyInfo.xcprivacy")],
    swiftSettings: appSettings),
  // Each of these links frameworks that most apps may not link: a reviewer asks what CallKit or the
  // location is for.
  .target(
    name: "PostilionCalls", dependencies: ["PostilionClient"], path: path("PostilionCalls"),
    swiftSettings: appSettings),
  .target(
    name: "PostilionLocation", dependencies: ["PostilionClient"], path: path("PostilionLocation"),
    swiftSettings: appSettings),
  // For apps in Objective-C, and for the glue of React Native and its like.
  .target(
    name: "PostilionObjectiveC", dependencies: ["PostilionClient"],
    path: path("PostilionObjectiveC"), swiftSettings: appSettings),
  // For the tests of apps.
  .target(
    name: "PostilionClientTesting", dependencies: ["PostilionClient"],
    path: path("PostilionClientTesting"),
    swiftSettings: appSettings),
]
let package = Package(
  name: "postilion",
  platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  targets: apps
)

let service: [Target] = [
  // C: headers only, and the four system libraries.
  .target(name: "CLinux", path: path("CLinux")),
  .target(name: "CResources", path: path("CResources")),
  .target(name: "CValgrind", path: path("CValgrind")),
  .systemLibrary(
    name: "CLibpq", path: path("CLibpq"), pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(
    name: "CCrypto", path: path("CCrypto"), pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"])]),
  .systemLibrary(
    name: "CZlib", path: path("CZlib"), pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .systemLibrary(
    name: "CCurl", path: path("CCurl"), pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"])]),

  // Pure: no socket, no file, no clock, no database.
  target("ASCII"),
  target("HTTP", ["ASCII"]),
  target("JSON", ["ASCII"]),
  target("APNs", ["ASCII", "DeviceProfile", "JSON"]),
  target("Localization", ["ASCII"], linker: [.linkedLibrary("_FoundationICU")]),
  target("Zip", ["CZlib"]),
  target("CatalogFormats", ["ASCII", "Localization", "JSON", "Zip"]),
  target("DeviceProfile", ["ASCII", "Localization"]),
  target("Records", ["JSON"]),
  target("Rendering", ["DeviceProfile", "Localization", "APNs", "JSON", "Crypto", "ASCII"]),
  target("CommandLineGrammar"),

  // Mechanisms.
  target("EventLoop", ["CLinux"]),
  target("HTTPServer", ["HTTP", "EventLoop"]),
  target("Postgres", ["EventLoop", "CLibpq", "CLinux"]),
  target("Crypto", ["CCrypto", "ASCII"]),
  target("Telemetry", ["ASCII"]),
  target("HTTPClient", ["CCurl"]),

  // The files of the console, for browsers. The reference is large: `CResources` has it.
  target("Console", exclude: ["Reference"], resources: [.embedInCode("Files")]),

  // What is stored, without HTTP.
  target(
    "Registry",
    ["DeviceProfile", "EventLoop", "Postgres", "JSON", "Crypto", "Localization", "ASCII"]),
  target(
    "Content",
    [
      "DeviceProfile", "EventLoop", "Postgres", "CatalogFormats", "Rendering", "JSON",
      "Localization", "ASCII",
    ]),

  // The product: vertical slices over what is stored.
  target(
    "App",
    [
      "Registry", "Content", "Console", "CResources", "DeviceProfile", "HTTP", "HTTPClient",
      "HTTPServer", "EventLoop", "Postgres", "CatalogFormats", "Rendering", "APNs",
      "Localization", "Crypto", "Telemetry", "CommandLineGrammar", "Records", "Zip", "JSON",
      "ASCII",
    ]),

  // The commands that call the service, and know nothing of its inside.
  target(
    "Commands",
    [
      "ASCII", "CatalogFormats", "CommandLineGrammar", "Crypto", "DeviceProfile", "HTTPClient",
      "JSON", "Localization", "Records", "Zip",
    ],
    exclude: ["Import/FORMATS.md"]),
  .executableTarget(
    name: "postilion",
    dependencies: ["App", "CommandLineGrammar", "Commands", "EventLoop", "Postgres"],
    path: path("postilion"),
    swiftSettings: strict),
  .executableTarget(
    name: "bench",
    dependencies: [
      "ASCII", "CatalogFormats", "CLibpq", "CLinux", "DeviceProfile", "HTTP", "JSON",
      "Localization", "Rendering",
    ],
    path: path("bench"),
    swiftSettings: strict),

  // For tests only.
  target("TestSupport", ["CZlib", "Zip"]),
  target(
    "AppTesting",
    [
      "App", "Crypto", "EventLoop", "HTTP", "HTTPServer", "JSON", "Postgres", "TestSupport",
      "CLibpq",
    ]),

  tests(
    "PostilionClientTests",
    ["PostilionCalls", "PostilionClient", "PostilionClientTesting", "TestSupport"]),
  tests("HTTPTests", ["HTTP", "TestSupport"]),
  tests("JSONTests", ["ASCII", "JSON", "TestSupport"]),
  tests("CommandLineGrammarTests", ["CommandLineGrammar"]),
  tests("HTTPClientTests", ["HTTPClient"]),
  tests("CommandsTests", ["Commands", "CatalogFormats", "JSON", "TestSupport"]),
  tests("DeviceProfileTests", ["DeviceProfile"]),
  tests("RegistryTests", ["Registry", "DeviceProfile", "JSON", "Postgres", "TestSupport"]),
  tests("ContentTests", ["Content"]),
  tests("RecordsTests", ["JSON", "Records"]),
  tests("ZipTests", ["Zip", "TestSupport"]),
  tests("APNsTests", ["APNs", "JSON", "TestSupport"]),
  tests("LocalizationTests", ["ASCII", "Localization", "TestSupport"]),
  tests(
    "CatalogFormatsTests", ["ASCII", "CatalogFormats", "JSON", "Localization", "TestSupport"]),
  tests(
    "RenderingTests",
    ["Rendering", "DeviceProfile", "Localization", "APNs", "ASCII", "JSON", "TestSupport"]),
  tests("EventLoopTests", ["EventLoop", "TestSupport"]),
  tests("HTTPServerTests", ["HTTPServer", "HTTP", "EventLoop", "TestSupport"]),
  tests("PostgresTests", ["Postgres", "EventLoop", "TestSupport"]),
  tests("CryptoTests", ["Crypto", "TestSupport"]),
  tests("TelemetryTests", ["Telemetry", "TestSupport"]),
  tests(
    "AppTests",
    [
      "APNs", "App", "AppTesting", "CatalogFormats", "CommandLineGrammar", "Commands", "Console",
      "Content", "Crypto", "DeviceProfile", "HTTP", "HTTPServer", "EventLoop", "JSON", "Postgres",
      "PostilionClient", "PostilionClientTesting", "Records", "Registry",
      "Rendering", "Telemetry", "TestSupport", "Zip",
    ]),
  tests(
    "CostTests",
    [
      "APNs", "App", "AppTesting", "ASCII", "CatalogFormats", "Commands", "Crypto", "CValgrind",
      "DeviceProfile", "HTTP", "JSON", "Localization", "Postgres", "Records", "Registry",
      "Rendering", "Zip",
    ]),
  tests("TidyTests", []),
]

// `make fuzz`: its program needs libFuzzer and instrumented code, which no other build wants.
let fuzz: Target = .executableTarget(
  name: "fuzz", dependencies: ["ASCII", "CatalogFormats", "HTTP", "JSON", "Localization"],
  path: path("fuzz"),
  swiftSettings: strict)

// The service builds on Linux alone.
#if os(Linux)
  package.products.append(.executable(name: "postilion", targets: ["postilion"]))
  package.targets += service
  if Context.environment["POSTILION_FUZZ"] != nil { package.targets.append(fuzz) }
#endif
