// SPDX-License-Identifier: Apache-2.0
// What recognition returns, in the spelling of its JSON.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/traits.h"

namespace ocr {

// In pixels of the page, from its upper left corner.
struct Box {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
};
BOOST_DESCRIBE_STRUCT(Box, (), (x, y, width, height))

struct Word {
  std::string text;
  double confidence = 0;  // 0 to 100
  Box box;
  // Numbers on the page, from 1.
  std::int32_t block = 0;
  std::int32_t paragraph = 0;
  std::int32_t line = 0;
};
BOOST_DESCRIBE_STRUCT(Word, (), (text, confidence, box, block, paragraph, line))

struct Page {
  std::int32_t page = 0;  // from 1
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::optional<std::int32_t> dpi;  // at which a page of a PDF was rendered
  std::string text;
  double confidence = 0;
  std::vector<Word> words;
};
BOOST_DESCRIBE_STRUCT(Page, (), (page, width, height, dpi, text, confidence, words))

// Types of errors; docs/ocr.md describes them.
inline constexpr char kUnsupportedFormat[] = "UnsupportedFormat";
inline constexpr char kBrokenFile[] = "BrokenFile";
inline constexpr char kEncryptedPdf[] = "EncryptedPdf";
inline constexpr char kTooLarge[] = "TooLarge";
inline constexpr char kMissingLanguage[] = "MissingLanguage";
inline constexpr char kTimeout[] = "Timeout";
inline constexpr char kCrashed[] = "Crashed";
inline constexpr char kUnreadable[] = "Unreadable";
inline constexpr char kInvalidRequest[] = "InvalidRequest";
inline constexpr char kUnavailable[] = "Unavailable";

// Whether the file itself is the reason, so that another attempt would fail, too.
bool is_permanent(std::string_view type);

struct Failure {
  std::string type;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(Failure, (), (type, message))

}  // namespace ocr
