// SPDX-License-Identifier: Apache-2.0
#include "ocr/once.h"

#include <boost/describe/class.hpp>
#include <cstdio>

#include "ocr/recognise_file.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace ocr {
namespace {

constexpr int kPermanentExit = 65;  // EX_DATAERR, as `stoker work --exec` understands it

struct Document {
  std::vector<Page> pages;
};
BOOST_DESCRIBE_STRUCT(Document, (), (pages))

void print_text(const Result& result) {
  Document document;
  wire::read_json(wire::type_of<Document>(), result_json(result), &document);
  for (const Page& page : document.pages) {
    std::fflush(stdout);
    std::fprintf(stderr, "page %d of %zu: %d x %d pixels, %zu words, confidence %.0f\n", page.page, document.pages.size(),
                 page.width, page.height, page.words.size(), page.confidence);
    std::fputs(page.text.c_str(), stdout);
  }
}

}  // namespace

int recognise_once(Recogniser& recogniser, const std::string& path, const std::string& languages, const Limits& limits, bool json) {
  const Outcome outcome = recognise_file(recogniser, path, languages, limits);
  if (const Failure* failure = std::get_if<Failure>(&outcome)) {
    std::fprintf(stderr, "stoker-ocr: %s: %s: %s\n", path.c_str(), failure->type.c_str(), failure->message.c_str());
    return is_permanent(failure->type) ? kPermanentExit : 1;
  }
  const Result& result = std::get<Result>(outcome);
  if (json) {
    std::printf("%s\n", result_json(result).c_str());
  } else {
    print_text(result);
  }
  return 0;
}

}  // namespace ocr
