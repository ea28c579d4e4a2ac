import Foundation
import Testing

/// The articles of the library name only what there is.
struct ArticleTests {
  private static let library = AppleStubs.root.appendingPathComponent(
    "Sources/AppLibraries/PostilionClient"
  )
  .resolvingSymlinksInPath()
  private static let articles = texts("md").filter { $0.path.contains(".docc/") }

  private static func texts(_ ending: String) -> [(path: String, text: String)] {
    let paths = FileManager.default.enumerator(atPath: library.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix("." + ending) }.sorted().compactMap { path in
      let file = library.appendingPathComponent(path)
      return (try? String(contentsOf: file, encoding: .utf8)).map { (path, $0) }
    }
  }

  /// The words that declarations of the library introduce.
  private static let declared: Set<Substring> = Set(
    texts("swift").flatMap { file in
      file.text.matches(
        of: /\b(?:struct|class|enum|protocol|actor|typealias|func|var|let|case) `?(\w+)/
      ).map(\.1)
    })

  @Test func symbolsExist() {
    #expect(Self.articles.count == 10)
    for article in Self.articles {
      // Every link stands behind another character, be it the end of the line before.
      for link in article.text.matches(of: /[^`]``([A-Z][^`\n]*)``/) {
        for name in link.1.split(separator: "/") where name != "PostilionClient" {
          let word = name.prefix { $0 != "(" }
          let isDeclared = Self.declared.contains(word)
          #expect(isDeclared, "\(article.path): \(String(link.1))")
        }
      }
    }
  }

  /// The functions of the library as links name them: `route(_:in:)`.
  private static let functions: Set<String> = Set(
    texts("swift").flatMap { file in
      let starts = /(?<private>private )?\b(?:func (\w+)|(init)\??)(?:<[^>]*>)?\(/
      return file.text.matches(of: starts).filter { $0.private == nil }.map { match in
        var depth = 1
        let parameters = file.text[match.range.upperBound...].prefix { character in
          if "([{".contains(character) { depth += 1 }
          if ")]}".contains(character) { depth -= 1 }
          return depth > 0
        }
        let labels = "," + parameters.replacing(/"[^"]*"|\([^()]*\)|\[[^\[\]]*\]/, with: "")
        let names = labels.matches(of: /,\s*(?:@\w+ )?(\w+)[^,:]*:/).map { "\($0.1):" }
        return "\(match.2 ?? match.3 ?? "")(\(names.joined()))"
      }
    })

  @Test func functionsExist() {
    var count = 0
    for article in Self.articles {
      for link in article.text.matches(of: /[^`]``[A-Z]\w*\/(\w+\([^`\n]*\))``/) {
        count += 1
        let isDeclared = Self.functions.contains(String(link.1))
        #expect(isDeclared, "\(article.path): \(String(link.1))")
      }
    }
    #expect(count > 10)
  }

  /// The pages are for an older compiler than widgets need.
  @Test func theCompilerForWidgetsIsNamed() throws {
    let source = Self.texts("swift").first { $0.path.hasSuffix("Postilion+Widgets.swift") }
    let version = try #require(source?.text.firstMatch(of: /compiler\(>=([0-9.]+)\)/)?.1)
    let article = Self.articles.first { $0.path.hasSuffix("LiveActivities.md") }
    #expect(article?.text.contains("(Swift \(version))") == true)
  }

  @Test func articlesExist() {
    let names = Set(
      Self.articles.map { ($0.path as NSString).lastPathComponent.replacing(".md", with: "") })
    for article in Self.articles {
      for link in article.text.matches(of: /<doc:(\w+)>/) {
        #expect(names.contains(String(link.1)), "\(article.path): \(String(link.1))")
      }
    }
  }
}
