// SPDX-License-Identifier: Apache-2.0
#include "ocr/pdf_info.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "ocr/limits.h"

namespace ocr {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMaxPoints = 1e6;  // 350 m; Acrobat's own limit is 5 m
constexpr std::int32_t kMaxListedPages = 1'000'000;

void skip_spaces(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); }

bool skip_word(std::string_view& text, std::string_view word) {
  skip_spaces(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class Number>
std::optional<Number> skip_number(std::string_view& text) {
  skip_spaces(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

// "Page    1 size:  595.2 x 841.92 pts (A4)", for the page of this number.
std::optional<PageSize> parse_size(std::string_view line, std::int32_t page) {
  if (!skip_word(line, "Page ") || skip_number<std::int32_t>(line) != page || !skip_word(line, "size:")) return std::nullopt;
  const auto width = skip_number<double>(line);
  if (!width || !skip_word(line, "x")) return std::nullopt;
  const auto height = skip_number<double>(line);
  // The comparison is false for NaN.
  if (!height || !(*width > 0 && *width < kMaxPoints && *height > 0 && *height < kMaxPoints)) return std::nullopt;
  return PageSize{*width, *height};
}

}  // namespace

base::Result<PdfInfo> parse_pdf_info(std::string_view output) {
  PdfInfo info;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    // A title or author may have lines of its own: numbers come after these, so the last "Pages:" counts.
    if (line.starts_with("Pages:")) {
      line.remove_prefix(6);
      info.pages = skip_number<std::int32_t>(line).value_or(0);
      info.sizes.clear();
    } else if (auto size = parse_size(line, std::int32_t(info.sizes.size()) + 1)) {
      info.sizes.push_back(*size);
    }
  }
  if (info.pages <= 0 || info.pages > kMaxListedPages) return base::Error{"the PDF has no pages"};
  if (std::int32_t(info.sizes.size()) > info.pages) return base::Error{"the PDF lists more pages than it has"};
  return info;
}

std::int32_t page_dpi(const PageSize& size, std::int32_t dpi, std::int64_t max_pixels) {
  const double square_inches = size.width_points / kPointsPerInch * (size.height_points / kPointsPerInch);
  // One percent less, because pdftoppm rounds both sides up.
  const double fitting = std::floor(std::sqrt(0.99 * double(max_pixels) / square_inches));
  if (fitting >= dpi) return dpi;
  return fitting >= kMinDpi ? std::int32_t(fitting) : 0;
}

}  // namespace ocr
