/// The house rules of CONTRIBUTING.md that can be read off a file.
enum Rules {
  static let all = [
    imports, purity, names, fileLength, functionLength, lineLength, traps, forceUnwraps, markers,
    uncheckedConcurrency, machinePaths, testNames, outsideTexts,
  ]

  /// Targets that see no socket, file, clock, randomness or database.
  static let pureTargets: Set = [
    "ASCII", "HTTP", "JSON", "Zip", "APNs", "Localization", "CatalogFormats", "Records",
    "DeviceProfile", "Rendering", "CommandLineGrammar",
  ]

  /// Files whose data is read by more threads than the compiler can follow: path → why it is safe.
  static let uncheckedConcurrencyReasons: [String: String] = [
    "Sources/Basics/Crypto/SHA256.swift": "libcrypto's algorithm, immutable once fetched",
    "Sources/Mechanisms/EventLoop/EventLoop.swift":
      "its state is its thread's; what others call is locked",
    "Sources/Mechanisms/EventLoop/LoopJobs.swift": "its state is behind its pthread mutex",
    "Sources/Mechanisms/EventLoop/WorkerThreads.swift": "its state is behind its pthread mutex",
    "Sources/Mechanisms/EventLoop/Listener.swift": "confined to its loop",
    "Sources/Mechanisms/EventLoop/StreamSocket.swift": "confined to its loop",
    "Sources/Mechanisms/HTTPServer/Connection.swift": "confined to its loop",
    "Sources/Mechanisms/HTTPServer/HTTPServer.swift": "confined to its loop",
    "Sources/AppLibraries/PostilionClient/Guarded.swift": "its value is behind its lock",
    "Sources/AppLibraries/PostilionClientTesting/DeviceMemory.swift":
      "its contents are behind its lock",
    "Sources/Mechanisms/Postgres/Session/DatabaseLease.swift": "confined to its loop",
    "Sources/Mechanisms/Postgres/Session/ExclusiveSession.swift": "confined to its loop",
    "Sources/Mechanisms/Postgres/Session/Notifications.swift": "confined to its loop",
    "Sources/Mechanisms/Postgres/Client/PostgresClient.swift": "confined to its loop",
    "Sources/Mechanisms/Postgres/Session/RowStream.swift": "confined to its loop",
    "Sources/Server/Registry/Rounds/BatchLoader.swift": "confined to its loop",
    "Sources/Server/Registry/Rounds/Rounds.swift": "confined to its loop",
    "Sources/Server/Registry/Registration/Registrars.swift": "complete before the first loop runs",
    "Sources/Server/Content/ContentStore.swift": "confined to its loop",
    "Sources/Server/App/Features/Webhooks/DeliveryAlarm.swift": "confined to its loop",
    "Sources/Server/App/Features/Webhooks/DeliverySession.swift": "confined to its loop",
    "Sources/Mechanisms/HTTPClient/HTTPTransfers.swift":
      "libcurl's handle is its thread's, but for the call that wakes it, which is safe",
    "Sources/Mechanisms/HTTPClient/Transfer.swift": "one thread makes it, then another moves it",
    "Sources/Server/App/Features/Rendering/Loop/AudienceSource.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/ChannelSource.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/RecipientInput.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/RecipientSource.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/RenderCatalogs.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/RenderStream.swift": "confined to its loop",
    "Sources/Server/App/Features/Rendering/Loop/KnownDevices.swift":
      "a stream has one rendering at a time, which alone touches what changes",
    "Sources/Server/App/Features/Rendering/Loop/LineMemory.swift":
      "a stream has one rendering at a time, which alone touches what changes",
    "Sources/Server/App/Features/Rendering/Loop/RenderLoop.swift":
      "a stream has one rendering at a time, which alone touches what changes",
    "Sources/Mechanisms/Postgres/Client/StreamPlaces.swift": "confined to its loop",
    "Sources/Server/App/Edge/Audit/AuditWriter.swift": "confined to its loop",
    "Sources/Server/App/Edge/LoopContext.swift": "confined to its loop",
    "Sources/Server/App/Edge/ReadinessProbe.swift": "confined to its loop",
    "Sources/Server/App/Edge/Replica/Replica.swift": "confined to its loop",
    "Sources/Mechanisms/Telemetry/Logs/LogWriter.swift": "its state is behind its pthread mutex",
  ]

  /// Targets that read what others wrote.
  static let readingTargets: Set = [
    "HTTP", "JSON", "Zip", "APNs", "Localization", "CatalogFormats", "Records", "DeviceProfile",
    "Rendering", "Registry", "Content", "App",
  ]

  /// Files and folders that compare texts as Swift does: path → why these are short, of ASCII, or
  /// our own.
  static let comparedTexts: [String: String] = [
    "Sources/Basics/HTTP/FieldScanner.swift": "a token has ASCII alone",
    "Sources/Basics/HTTP/ForwardedField.swift": "a token",
    "Sources/Basics/HTTP/MediaType.swift": "tokens",
    "Sources/Basics/HTTP/MultipartForm.swift": "the name of a field, and tokens",
    "Sources/Basics/HTTP/RequestHead.swift": "the name of a field, and tokens",
    "Sources/Basics/JSON/FieldReader.swift": "of at most 64 bytes",
    "Sources/Texts/CatalogFormats/BundleOrder.swift":
      "a part of a path, in lower case in linear time",
    "Sources/Texts/CatalogFormats/FileTable.swift": "states of at most 64 bytes",
    "Sources/Texts/CatalogFormats/Strings/PropertyListValue.swift":
      "names of elements are Spelling",
    "Sources/Texts/CatalogFormats/XLIFF/XLIFFReader.swift": "names of elements are Spelling",
    "Sources/Texts/CatalogFormats/XML/XMLScanner.swift": "a reference of at most 16 bytes",
    "Sources/Basics/HTTP/HTTPDate.swift": "of 29 bytes",
    "Sources/Basics/HTTP/Method.swift": "a token",
    "Sources/Basics/HTTP/Router.swift": "patterns of our own",
    "Sources/Basics/JSON/JSONWriter.swift": "a number",
    "Sources/Texts/Records/ImportReport.swift": "codes of our own",
    "Sources/Server/Registry/Installation/DeviceToken.swift": "of ASCII alone by then",
    "Sources/Server/Registry/Search/Facet.swift": "language tags of at most 58 bytes",
    "Sources/Server/Registry/Search/InstallationList.swift": "a plan of the database",
    "Sources/Server/Registry/Registration/SightingStatements.swift": "names of columns",
    "Sources/Server/Registry/PostgresError+Rows.swift": "what the database says",
    "Sources/Server/Content/Notice.swift": "a notice of another instance",
    "Sources/Texts/DeviceProfile/Device.swift": "capabilities of at most 64 bytes",
    "Sources/Texts/Rendering/Message/MessageTemplates.swift":
      "names of parameters, of at most 512 bytes",
    "Sources/Server/App/Configuration/": "settings",
    "Sources/Server/App/Directory/APIKey.swift": "of at most 256 bytes",
    "Sources/Server/App/Edge/Audit/AuditedRequest.swift": "names of our own",
    "Sources/Server/App/Edge/DatabaseProblem.swift": "what the database says",
    "Sources/Server/App/Edge/Endpoint.swift": "names of our own",
    "Sources/Server/App/Edge/PurgePortion.swift": "names of columns",
    "Sources/Server/App/Edge/Schema/": "what the database says",
    "Sources/Server/App/Features/Audiences/LocalTimeRequest.swift": "names of our own",
    "Sources/Server/App/Features/Rendering/Question/Audience.swift": "names of our own",
    "Sources/Server/App/Features/Webhooks/DeliveryQueue.swift": "ids of our own",
    "Sources/Server/App/Floods/RateTable.swift": "a setting",
    "Sources/Server/App/Service/": "settings, and what the database says",
    "Sources/Server/Registry/Profile/ProfileValue.swift": "a word that the database has",
    "Sources/Texts/Rendering/LiveActivities/BroadcastChannel.swift": "a UUID",
    "Sources/Server/App/Features/Webhooks/WebhookReach.swift": "of ASCII alone by then",
    "Sources/Server/App/Features/Payloads/PayloadCheckRequest.swift":
      "names that are compared by bytes",
    "Sources/Texts/Localization/FormattingLocale.swift": "of at most 157 bytes",
    "Sources/Texts/Localization/LocaleSubtags.swift": "of at most 157 bytes",
    "Sources/Texts/Localization/NumberText.swift": "digits of our own",
    "Sources/Texts/Localization/ICU/PluralRules.swift": "a language of at most 58 bytes",
    "Sources/Texts/Localization/LanguageTag.swift": "of at most 58 bytes",
  ]

  /// Tables may be longer than 600 lines: path → what the table is.
  static let longTables: [String: String] = [
    "sql/migrations.sql": "a released migration is never edited, and all are in one order",
    "sql/schema.sql": "the database as it is, in one order",
  ]

  static let imports = Rule(
    name: "pure targets import nothing that can block",
    fix: "Take the value as a parameter, or move the code to a target that may wait."
  ) { file in
    guard pureTargets.contains(file.target), file.isSource else { return [] }
    let banned =
      ["Glibc", "Musl", "Dispatch"]
      + (file.target == "HTTP"
        ? ["Foundation", "FoundationEssentials", "FoundationInternationalization"] : [])
    return file.code.enumerated().compactMap { index, line in
      let words = line.split(separator: " ")
      guard let position = words.firstIndex(of: "import"), position + 1 < words.count else {
        return nil
      }
      // `import struct Foundation.Date` names the module behind the kind.
      let module = words[words.count - 1].prefix { $0 != "." }
      return banned.contains(String(module))
        ? .init(line: index + 1, what: "`import \(module)` in \(file.target)") : nil
    }
  }

  static let purity = Rule.banning(
    [
      "FileManager", "FileHandle", "ProcessInfo", "UserDefaults", "Date()", "Date.now",
      "ContinuousClock", "SuspendingClock", "UUID()", ".random(", ".randomElement(", ".shuffled(",
      "SystemRandomNumberGenerator", "Data(contentsOf:", "String(contentsOf:", "contentsOfFile:",
      "Locale.current", "TimeZone.current", "Calendar.current", "print(",
    ],
    name: "pure targets read no file, clock, randomness or environment",
    fix: "Take it as a parameter; only the executable and the event loop read the real one."
  ) { $0.isSource && pureTargets.contains($0.target) }

  static let names = Rule(
    name: "names say what a thing is",
    fix: "Name the concept that it stands for, in the field's own words."
  ) { file in
    let banned: Set = [
      "Util", "Utils", "Utilities", "Helper", "Helpers", "Common", "Manager", "Base",
    ]
    // The names of stubs are Apple's.
    guard file.isSwift, !file.path.hasPrefix("Tests/Fixtures/AppleStubs/") else { return [] }
    let declared = file.code.enumerated().flatMap { index, line in
      declaredTypes(in: line).map { (line: index + 1, name: $0) }
    }
    return ([(line: 1, name: file.name)] + declared).compactMap { line, name in
      camelCaseWords(of: name).first { banned.contains($0) }
        .map { .init(line: line, what: "“\($0)” in the name \(name)") }
    }
  }

  static let fileLength = Rule(
    name: "files have at most 600 lines",
    fix: "Split it by concept; a table may go on the list longTables with its reason."
  ) { file in
    file.lines.count > 601 && longTables[file.path] == nil
      ? [.init(line: 601, what: "\(file.lines.count - 1) lines")] : []
  }

  static let functionLength = Rule(
    name: "functions have at most 70 lines",
    fix: "Name its steps and make each a function."
  ) { file in
    guard file.isSwift else { return [] }
    return functions(in: file.code).filter { $0.lineCount > 70 }
      .map { .init(line: $0.firstLine, what: "a function of \($0.lineCount) lines") }
  }

  static let lineLength = Rule(
    name: "lines have at most 100 columns",
    fix: "Break the line; `make format` does so in code, not in comments."
  ) { file in
    file.lines.enumerated().filter { $0.element.count > 100 }
      .map { .init(line: $0.offset + 1, what: "\($0.element.count) columns") }
  }

  static let traps = Rule.banning(
    ["try!", "as!", "fatalError("], name: "outside input never stops the process",
    fix: "Throw, return nil, or state a precondition with its reason."
  ) { $0.isSource }

  static let forceUnwraps = Rule(
    name: "nothing is unwrapped by force",
    fix: "Use guard let, ?? or a type that cannot be empty."
  ) { file in
    guard file.isSource, file.isSwift else { return [] }
    return file.code.enumerated().compactMap { index, line in
      let isProven = index > 0 && file.lines[index - 1].contains("swift-format-ignore: NeverForce")
      return !isProven && hasForceUnwrap(line) ? .init(line: index + 1, what: "`!`") : nil
    }
  }

  static let markers = Rule(
    name: "nothing is left for later",
    fix: "Do it now, or write an issue; main has no such marks."
  ) { file in
    guard file.target != "TidyTests" else { return [] }
    return file.lines.enumerated().flatMap { index, line in
      ["TODO", "FIXME", "XXX"].filter { hasWord($0, in: line) }
        .map { .init(line: index + 1, what: $0) }
    }
  }

  static let uncheckedConcurrency = Rule(
    name: "the compiler checks all sharing between threads",
    fix: "Use a Mutex, an Atomic or an actor, or list the file in TidyTests with the reason."
  ) { file in
    guard file.isSource, uncheckedConcurrencyReasons[file.path] == nil else { return [] }
    return file.code.enumerated().flatMap { index, line in
      ["@unchecked Sendable", "nonisolated(unsafe)", "@unsafe "].filter { line.contains($0) }
        .map { .init(line: index + 1, what: "`\($0)`") }
    }
  }

  /// `==` on texts is not found: a type is not seen in a file. `BodyMemberTests` and
  /// `ReaderCostTests` look at what it costs.
  static let outsideTexts = Rule(
    name: "texts of others are looked at by their bytes",
    fix: "Use init(spelled:), isWord, hasBytes, parts or Spelling, or list the file in TidyTests."
  ) { file in
    guard file.isSource, readingTargets.contains(file.target),
      !comparedTexts.keys.contains(where: file.path.hasPrefix)
    else { return [] }
    var isOfText = false
    return file.code.enumerated().flatMap { index, line -> [Rule.Finding] in
      if line.contains("switch ") { isOfText = !line.contains("Spelling") }
      let words = line.ranges(of: "(rawValue: ").contains { range in
        line[range.upperBound...].first.map { $0.isLowercase || $0 == "$" } == true
          && !line.contains("init(rawValue: ")
      }
      let found = [
        ".lowercased()", ".uppercased()", ".hasPrefix(", ".hasSuffix(", ".split(separator: \"",
        "Set<String>", ".init(rawValue:)",
      ].filter { line.contains($0) }
      let cases = isOfText && line.contains("case \"")
      return (found + (words ? ["(rawValue:"] : []) + (cases ? ["case \""] : [])).map {
        .init(line: index + 1, what: "`\($0)`")
      }
    }
  }

  static let machinePaths = Rule(
    name: "no path of somebody's machine",
    fix: "Use a relative path, a parameter or a temporary directory."
  ) { file in
    guard file.target != "TidyTests" else { return [] }
    return file.lines.enumerated().flatMap { index, line in
      ["home", "root", "Users"].map { "/\($0)/" }.filter { line.contains($0) }
        .map { .init(line: index + 1, what: $0) }
    }
  }

  static let testNames = Rule(
    name: "a test has one name, its function's in camelCase",
    fix: "Let the function's name be the sentence, without backticks and display name."
  ) { file in
    guard file.isSwift, file.path.hasPrefix("Tests/"), !file.path.hasPrefix("Tests/Fixtures/")
    else { return [] }
    return file.code.indices.flatMap { index in
      testNameFaults(in: file.code, at: index).map { .init(line: index + 1, what: $0) }
    }
  }
}
