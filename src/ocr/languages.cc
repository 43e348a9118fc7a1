// SPDX-License-Identifier: Apache-2.0
#include "ocr/languages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/utf8.h"

namespace ocr {
namespace {

constexpr std::string_view kScripts = "script/";

// Debian names packages of scripts by ISO 15924.
constexpr std::array kScriptCodes = {
    std::pair{"Arabic", "arab"},     std::pair{"Armenian", "armn"},   std::pair{"Bengali", "beng"},
    std::pair{"Cyrillic", "cyrl"},   std::pair{"Devanagari", "deva"}, std::pair{"Ethiopic", "ethi"},
    std::pair{"Fraktur", "frak"},    std::pair{"Georgian", "geor"},   std::pair{"Greek", "grek"},
    std::pair{"Gujarati", "gujr"},   std::pair{"Gurmukhi", "guru"},   std::pair{"HanS", "hans"},
    std::pair{"HanS_vert", "hans-vert"}, std::pair{"HanT", "hant"},   std::pair{"HanT_vert", "hant-vert"},
    std::pair{"Hangul", "hang"},     std::pair{"Hangul_vert", "hang-vert"}, std::pair{"Hebrew", "hebr"},
    std::pair{"Japanese", "jpan"},   std::pair{"Japanese_vert", "jpan-vert"}, std::pair{"Kannada", "knda"},
    std::pair{"Khmer", "khmr"},      std::pair{"Lao", "laoo"},        std::pair{"Latin", "latn"},
    std::pair{"Malayalam", "mlym"},  std::pair{"Myanmar", "mymr"},    std::pair{"Oriya", "orya"},
    std::pair{"Sinhala", "sinh"},    std::pair{"Syriac", "syrc"},     std::pair{"Tamil", "taml"},
    std::pair{"Telugu", "telu"},     std::pair{"Thaana", "thaa"},     std::pair{"Thai", "thai"},
    std::pair{"Tibetan", "tibt"},    std::pair{"Vietnamese", "viet"},
};

bool is_language(std::string_view name) {
  if (name.starts_with(kScripts)) name.remove_prefix(kScripts.size());
  return !name.empty() && name.size() <= kMaxLanguageLength && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

}  // namespace

base::Result<std::vector<std::string>> parse_languages(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    if (!is_language(name)) {
      return base::Error{"'" + base::to_printable(text.substr(0, 100)) +
                         "' is not a list of languages: expected names like eng, joined by '+'"};
    }
    names.emplace_back(name);
    if (names.size() > kMaxLanguages) {
      return base::Error{"more than " + std::to_string(kMaxLanguages) + " languages: " + std::string(text.substr(0, 100))};
    }
    at = end + 1;
  }
  return names;
}

std::string debian_package(std::string_view language) {
  std::string name(language);
  if (language.starts_with(kScripts)) {
    language.remove_prefix(kScripts.size());
    name = "script-";
    const auto known = std::ranges::find(kScriptCodes, language, [](const auto& code) { return std::string_view(code.first); });
    name += known == kScriptCodes.end() ? std::string(language) : known->second;
  }
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return c == '_' ? '-' : char(std::tolower(c)); });
  return "tesseract-ocr-" + name;
}

}  // namespace ocr
