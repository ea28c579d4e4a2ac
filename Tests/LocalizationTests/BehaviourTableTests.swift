import Localization
import Testing

/// The behaviour table in the comment of Apple's `ualoc.h`, transcribed.
@Suite struct BehaviourTableTests {
  struct Cell: Hashable, CustomStringConvertible {
    let preferred: String
    let available: String
    let expected: String
    var description: String { "\(preferred) of \(available)" }
  }

  static let cells = behaviourTable.flatMap { block in
    block.rows.flatMap { row in
      zip(block.sets, row.1).map { Cell(preferred: row.0, available: $0, expected: $1) }
    }
  }

  @Test(arguments: cells)
  func theTableKeepsWhatItsHeaderPromises(cell: Cell) {
    let tags = LanguageTag(cell.preferred).map { [$0] } ?? []
    let found = LanguageMatcher.localizations(
      preferred: tags, available: cell.available.split(separator: " ").map(String.init))
    let correction = corrected.first { $0.0 == cell.preferred && $0.1 == cell.available }?.2
    #expect(found.joined(separator: " ") == correction ?? cell.expected)
  }
}

/// Eleven cells that the header has wrong: it is older than the matcher and Apple's own test file,
/// which agree on these. Chinese of Taiwan joins that of Hong Kong, Canada's English has no parent
/// but `en`, and of the last the header itself says that it does not work as intended.
private let corrected: [(String, String, String)] = [
  ("zh-Hant-HK", "zh_CN zh_TW zh_HK zh_Hans zh_Hant zh_Hant_HK", "zh_Hant_HK zh_TW zh_HK zh_Hant"),
  ("zh-Hant-MO", "zh_CN zh_TW zh_HK zh_MO", "zh_MO zh_TW zh_HK"),
  ("zh-Hant-MO", "zh_CN zh_TW zh_HK zh_Hans zh_Hant zh_Hant_HK", "zh_HK zh_TW zh_Hant_HK zh_Hant"),
  ("zh-HK", "zh_CN zh_TW zh_HK", "zh_HK zh_TW"),
  ("zh-HK", "zh_CN zh_TW zh_HK zh_Hans zh_Hant zh_Hant_HK", "zh_HK zh_TW zh_Hant_HK zh_Hant"),
  ("zh-MO", "zh_CN zh_TW zh_HK", "zh_HK zh_TW"),
  ("zh-MO", "zh_CN zh_TW zh_HK zh_MO", "zh_MO zh_TW zh_HK"),
  ("zh-MO", "zh_CN zh_TW zh_HK zh_Hans zh_Hant zh_Hant_HK", "zh_HK zh_TW zh_Hant_HK zh_Hant"),
  ("en-CA", "en en_AU en_GB en_001", "en"),
  ("en-CA", "en en_AU en_GB en_001 en_150", "en"),
  ("en-Latn_US", "en en_AU en_GB en_CA en_IN en_US", "en"),
]

private let behaviourTable: [(sets: [String], rows: [(String, [String])])] = [
  (
    sets: [
      "zh_CN zh_TW",
      "zh_CN zh_TW zh_HK",
      "zh_CN zh_TW zh_HK zh_MO",
      "zh_Hans zh_Hant zh_Hant_HK",
      "zh_CN zh_TW zh_Hans zh_Hant",
      "zh_CN zh_TW zh_HK zh_Hans zh_Hant zh_Hant_HK",
    ],
    rows: [
      ("zh", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_Hans", "zh_Hans"]),
      ("zh-Hans", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_Hans", "zh_Hans"]),
      ("zh-Hant", ["zh_TW", "zh_TW", "zh_TW", "zh_Hant", "zh_Hant", "zh_Hant"]),
      ("zh-Hans-CN", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_CN zh_Hans", "zh_CN zh_Hans"]),
      ("zh-Hans-SG", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_Hans", "zh_Hans"]),
      ("zh-Hant-TW", ["zh_TW", "zh_TW", "zh_TW", "zh_Hant", "zh_TW zh_Hant", "zh_TW zh_Hant"]),
      (
        "zh-Hant-HK",
        [
          "zh_TW", "zh_HK zh_TW", "zh_HK zh_TW", "zh_Hant_HK zh_Hant", "zh_Hant",
          "zh_Hant_HK zh_Hant",
        ]
      ),
      (
        "zh-Hant-MO",
        [
          "zh_TW", "zh_HK zh_TW", "zh_MO zh_HK zh_TW", "zh_Hant_HK zh_Hant", "zh_Hant",
          "zh_Hant_HK zh_Hant",
        ]
      ),
      ("zh-Hans-HK", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_Hans", "zh_Hans"]),
      ("zh-CN", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_CN zh_Hans", "zh_CN zh_Hans"]),
      ("zh-SG", ["zh_CN", "zh_CN", "zh_CN", "zh_Hans", "zh_Hans", "zh_Hans"]),
      ("zh-TW", ["zh_TW", "zh_TW", "zh_TW", "zh_Hant", "zh_TW zh_Hant", "zh_TW zh_Hant"]),
      (
        "zh-HK",
        [
          "zh_TW", "zh_HK", "zh_HK zh_TW", "zh_Hant_HK zh_Hant", "zh_Hant",
          "zh_HK zh_Hant_HK zh_Hant",
        ]
      ),
      (
        "zh-MO",
        [
          "zh_TW", "zh_HK", "zh_MO zh_HK zh_TW", "zh_Hant_HK zh_Hant", "zh_Hant",
          "zh_Hant_HK zh_Hant_HK zh_Hant",
        ]
      ),
    ]
  ),
  (
    sets: [
      "English",
      "en en_AU en_GB",
      "en en_AU en_GB en_CA",
      "en en_AU en_GB en_CA en_IN en_US",
      "en en_AU en_GB en_001",
      "en en_AU en_GB en_001 en_150",
    ],
    rows: [
      ("en", ["English", "en", "en", "en", "en", "en"]),
      ("en-US", ["English", "en", "en", "en_US en", "en", "en"]),
      (
        "en-AU",
        [
          "English", "en_AU en_GB en", "en_AU en_GB en", "en_AU en_GB en", "en_AU en_GB en_001 en",
          "en_AU en_GB en_001 en",
        ]
      ),
      ("en-CA", ["English", "en", "en_CA en", "en_CA en", "en_001 en", "en_001 en"]),
      (
        "en-GB",
        ["English", "en_GB en", "en_GB en", "en_GB en", "en_GB en_001 en", "en_GB en_001 en"]
      ),
      (
        "en-IN",
        ["English", "en_GB en", "en_GB en", "en_IN en_GB en", "en_GB en_001 en", "en_GB en_001 en"]
      ),
      ("en-US", ["English", "en", "en", "en_US en", "en", "en"]),
      (
        "en-FR",
        [
          "English", "en_GB en", "en_GB en", "en_GB en", "en_GB en_001 en",
          "en_150 en_GB en_001 en",
        ]
      ),
      ("en-IL", ["English", "en", "en", "en", "en_001 en", "en_001 en"]),
      ("en-001", ["English", "en", "en", "en", "en_001 en", "en_001 en"]),
      (
        "en-150",
        [
          "English", "en_GB en", "en_GB en", "en_GB en", "en_GB en_001 en",
          "en_150 en_GB en_001 en",
        ]
      ),
      ("en-Latn", ["English", "en", "en", "en", "en", "en"]),
      ("en-Latn_US", ["English", "en", "en", "en_US en", "en", "en"]),
    ]
  ),
  (
    sets: [
      "Spanish",
      "es es_MX",
      "es es_419",
      "es es_419 es_MX",
      "es es_ES es_MX",
      "es es_ES es_419 es_MX",
    ],
    rows: [
      ("es", ["Spanish", "es", "es", "es", "es", "es"]),
      ("es-ES", ["Spanish", "es", "es", "es", "es_ES es", "es_ES es"]),
      ("es-419", ["Spanish", "es", "es_419 es", "es_419 es", "es", "es_419 es"]),
      (
        "es-MX",
        ["Spanish", "es_MX es", "es_419 es", "es_MX es_419 es", "es_MX es", "es_MX es_419 es"]
      ),
      ("es-AR", ["Spanish", "es", "es_419 es", "es_419 es", "es", "es_419 es"]),
    ]
  ),
  (
    sets: [
      "Portuguese",
      "pt pt_PT",
      "pt pt_BR pt_PT",
      "pt pt_BR",
    ],
    rows: [
      ("pt", ["Portuguese", "pt", "pt", "pt"]),
      ("pt-BR", ["Portuguese", "pt", "pt_BR pt", "pt_BR pt"]),
      ("pt-PT", ["Portuguese", "pt_PT pt", "pt_PT pt", "pt"]),
      ("pt-MO", ["Portuguese", "pt_PT pt", "pt_PT pt", "pt"]),
    ]
  ),
]
