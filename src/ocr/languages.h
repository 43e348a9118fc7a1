// SPDX-License-Identifier: Apache-2.0
// Names of Tesseract's languages: "eng", "eng+deu", "chi_sim_vert", "script/Latin".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ocr {

inline constexpr std::size_t kMaxLanguages = 8;
inline constexpr std::size_t kMaxLanguageLength = 40;

// Splits at '+'. A name becomes a path in Tesseract, so it may not have a dot.
base::Result<std::vector<std::string>> parse_languages(std::string_view text);

// "tesseract-ocr-chi-sim", "tesseract-ocr-script-latn".
std::string debian_package(std::string_view language);

}  // namespace ocr
