import Foundation
import Testing

/// No module of the console imports one that imports it, directly or through others. So each can be
/// read, and changed, with only those in mind that it imports.
@Suite struct ConsoleModuleTests {
  @Test func noModuleImportsOneThatImportsIt() {
    let modules = Self.modules
    #expect(modules.count > 20)
    let circle = Self.circle(of: modules)
    #expect(circle == nil, "Move what both need to a module that imports neither.")
  }

  /// The texts are those of the modules `a`, `b` and `c`.
  @Test(arguments: [
    (["import { b } from './b.js';", ""], nil),
    // Each shape of an import: of many lines, one that is made when it is needed, a plain one.
    (["import {\n  b,\n} from './b.js';", "(await import('./a.js')).default()"], "a → b → a"),
    (["import './b.js';", "import { a } from './a.js';"], "a → b → a"),
    (["import * as own from './a.js';"], "a → a"),
    (["import './b.js';", "import './c.js';", "export { b } from './b.js';"], "b → c → b"),
    // Two ways to one module are no circle.
    (["import './b.js';\nimport './c.js';", "import './c.js';", ""], nil),
    // A name that is put together may be that of any other module.
    (["await import(`./${page}.js`)", "", ""], nil),
    (["await import(`./${page}.js`)", "import './a.js';", ""], "a → b → a"),
  ])
  func circles(texts: [String], circle: String?) {
    let modules = Dictionary(uniqueKeysWithValues: zip(["a", "b", "c"], texts))
    #expect(Self.circle(of: modules) == circle)
  }

  /// The texts of the modules by name, without `.js`.
  private static let modules: [String: String] = {
    let folder = "Sources/Server/Console/Files/"
    let paths = Repository.paths.filter { $0.hasPrefix(folder) && $0.hasSuffix(".js") }
    return Dictionary(
      uniqueKeysWithValues: paths.map { path in
        let file = Repository.root.appending(path: path)
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return (String(path.dropFirst(folder.count).dropLast(3)), text)
      })
  }()

  /// The first circle in the order of the names: `a → b → a`.
  private static func circle(of modules: [String: String]) -> String? {
    let imported = modules.map { name, text in
      let isOpen = text.contains("import(`./${")
      let named = text.matches(of: /(?:from|import) ?\(?'\.\/([\w-]+)\.js'/)
        .map { String($0.output.1) }
      return (name, isOpen ? modules.keys.filter { $0 != name } : named)
    }
    let imports = Dictionary(uniqueKeysWithValues: imported)
    var done: Set<String> = []
    func circle(from way: [String]) -> String? {
      guard let last = way.last, !done.contains(last) else { return nil }
      if let start = way.dropLast().firstIndex(of: last) {
        return way[start...].joined(separator: " → ")
      }
      for next in (imports[last] ?? []).sorted() {
        if let circle = circle(from: way + [next]) { return circle }
      }
      done.insert(last)
      return nil
    }
    return modules.keys.sorted().lazy.compactMap { circle(from: [$0]) }.first
  }
}
