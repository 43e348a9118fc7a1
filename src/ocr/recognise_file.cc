// SPDX-License-Identifier: Apache-2.0
#include "ocr/recognise_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "ocr/format.h"
#include "ocr/languages.h"
#include "ocr/pdf.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace ocr {
namespace {

// What the steps of one file share.
struct Work {
  Recogniser& recogniser;
  const std::string& languages;
  const Limits& limits;
  Deadline deadline;
  int file = -1;
  Result result;
};

std::variant<Descriptor, Failure> open_file(const std::string& path) {
  // A FIFO would block.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return Failure{kUnreadable, "can't open " + path + ": " + std::strerror(errno)};
  struct stat state {};
  if (::fstat(file.get(), &state) != 0 || !S_ISREG(state.st_mode)) return Failure{kUnreadable, path + " is not a file"};
  return file;
}

std::string read_head(int file) {
  std::string head(kFormatBytes, '\0');
  const ssize_t got = ::pread(file, head.data(), head.size(), 0);
  head.resize(got > 0 ? std::size_t(got) : 0);
  return head;
}

// Recognises one page and appends it to the result; returns the number of pages in the file.
std::variant<std::int32_t, Failure> add_page(Work& work, const Order& order, int file) {
  auto answer = work.recogniser.recognise(order, file, work.deadline);
  if (Failure* failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  EngineAnswer& page = std::get<EngineAnswer>(answer);
  page.page->page = order.page;
  if (!work.result.pages.empty()) work.result.pages += ",";
  wire::write_json(wire::type_of<Page>(), &*page.page, work.result.pages);
  return page.pages;
}

std::optional<Failure> add_image(Work& work, Format format) {
  for (std::int32_t page = 1, pages = 1; page <= pages; ++page) {
    auto added = add_page(work, {std::int32_t(format), page, std::nullopt}, work.file);
    if (Failure* failure = std::get_if<Failure>(&added)) return std::move(*failure);
    pages = format == Format::Tiff ? std::min(std::get<std::int32_t>(added), work.limits.max_pages) : 1;
  }
  return std::nullopt;
}

std::optional<Failure> add_pdf_page(Work& work, std::int32_t page, const PageSize& size) {
  const std::int32_t dpi = page_dpi(size, work.limits.dpi, work.limits.max_pixels);
  if (dpi == 0) {
    return Failure{kTooLarge, fmt::format("page {} is {:.0f} x {:.0f} mm: at {} dpi it has more than {} megapixels (--max-megapixels)", page,
                                          size.width_points / 72 * 25.4, size.height_points / 72 * 25.4, kMinDpi,
                                          work.limits.max_pixels / 1'000'000)};
  }
  auto rendered = render_page(work.file, page, dpi, work.limits, work.deadline);
  if (Failure* failure = std::get_if<Failure>(&rendered)) return std::move(*failure);
  auto added = add_page(work, {std::int32_t(Format::Pnm), page, dpi}, std::get<Descriptor>(rendered).get());
  if (Failure* failure = std::get_if<Failure>(&added)) return std::move(*failure);
  return std::nullopt;
}

// Page by page, so that one page is in memory at a time.
std::optional<Failure> add_pdf(Work& work) {
  auto read = read_pdf_info(work.file, work.limits, work.deadline);
  if (Failure* failure = std::get_if<Failure>(&read)) return std::move(*failure);
  const PdfInfo& info = std::get<PdfInfo>(read);
  for (std::int32_t page = 1; page <= info.pages; ++page) {
    if (auto failure = add_pdf_page(work, page, info.sizes[std::size_t(page) - 1])) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> add_pages(Work& work, const std::string& head) {
  const Format format = detect_format(head);
  if (format == Format::Unknown) {
    return Failure{kUnsupportedFormat, "the file is " + describe_bytes(head) + "; supported are PNG, JPEG, TIFF and PDF"};
  }
  if (auto failure = work.recogniser.start(work.languages, work.deadline)) return failure;
  return format == Format::Pdf ? add_pdf(work) : add_image(work, format);
}

}  // namespace

Outcome recognise_file(Recogniser& recogniser, const std::string& path, const std::string& languages, const Limits& limits) {
  if (auto names = parse_languages(languages); !names) return Failure{kMissingLanguage, names.error()};
  auto opened = open_file(path);
  if (Failure* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  const Descriptor& file = std::get<Descriptor>(opened);
  const Deadline deadline =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(limits.timeout);
  Work work{recogniser, languages, limits, deadline, file.get(), {}};
  if (auto failure = add_pages(work, read_head(file.get()))) return std::move(*failure);
  work.result.languages = languages;
  work.result.engine = recogniser.engine();
  return std::move(work.result);
}

}  // namespace ocr
