import Testing

/// Features know what they share, not each other (house rule 7).
@Suite struct FeatureTests {
  @Test func noFeatureUsesAnothersTypes() {
    let features = Dictionary(grouping: Sources.app.filter { $0.path.hasPrefix("Features/") }) {
      String($0.path.split(separator: "/")[1])
    }
    #expect(features.count > 5)
    let owned = features.mapValues { files in
      Set(
        files.flatMap { file in
          file.text.matches(of: /(?m)^(?:final )?(?:struct|enum|class|actor|protocol) (\w+)/).map {
            String($0.output.1)
          }
        })
    }
    var uses: [String] = []
    for (feature, files) in features {
      for (other, types) in owned where other != feature {
        for file in files {
          let code = file.text.replacing(/\/\/.*|"[^"\n]*"/, with: "")
          let words = Set(code.matches(of: /\b[A-Z]\w+/).map { String($0.output) })
          uses += words.intersection(types).map { "\(file.path) uses \(other)’s \($0)" }
        }
      }
    }
    #expect(uses.sorted() == [], "What two features share moves to App/Domain.")
  }
}
