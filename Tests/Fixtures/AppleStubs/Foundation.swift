// swift-format-ignore-file
// What Foundation has on Apple's systems and not on Linux, as far as this repository uses it: a
// part of each module that is checked.
import Foundation
