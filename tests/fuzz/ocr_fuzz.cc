// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request, as the head of a file, as a TIFF, as languages and as pdfinfo's output: no crash, and what is accepted
// keeps its promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/utf8.h"
#include "ocr/format.h"
#include "ocr/languages.h"
#include "ocr/pdf_info.h"
#include "ocr/request.h"
#include "ocr/tiff_pages.h"

namespace {

void check_request(std::string_view line) {
  const auto parsed = ocr::parse_request(line);
  if (const auto* bad = std::get_if<ocr::BadRequest>(&parsed)) {
    const std::string answer = ocr::failure_line(bad->id, bad->failure);
    if (answer.find('\n') != answer.size() - 1) std::abort();
    return;
  }
  const auto& request = std::get<ocr::Request>(parsed);
  if (request.id.empty() || request.input.empty()) std::abort();
  if (ocr::result_line(request.id, {}).find('\n') == std::string::npos) std::abort();
}

void check_languages(std::string_view text) {
  const auto names = ocr::parse_languages(text);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.find("..") != name.npos || name.starts_with('/')) std::abort();
    if (ocr::debian_package(name).find('_') != std::string::npos) std::abort();
  }
}

void check_info(std::string_view text) {
  const auto info = ocr::parse_pdf_info(text);
  if (!info) return;
  if (info->pages <= 0 || info->sizes.size() > std::size_t(info->pages)) std::abort();
  for (const ocr::PageSize& size : info->sizes) {
    const std::int32_t dpi = ocr::page_dpi(size, 300, 80'000'000);
    if (dpi < 0 || dpi > 300) std::abort();
    if (size.width_points / 72 * dpi * (size.height_points / 72 * dpi) > 80'000'000) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_request(text);
  check_languages(text);
  check_info(text);
  (void)ocr::detect_format(text);
  for (const char* magic : {"II*", "MM"}) {
    const auto pages = ocr::count_tiff_pages(magic + text, 20);
    if (pages && (*pages < 1 || *pages > 21)) std::abort();
  }
  if (!base::is_utf8(ocr::describe_bytes(text))) std::abort();
  return 0;
}
