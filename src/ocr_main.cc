// SPDX-License-Identifier: Apache-2.0
// The program stoker-ocr: text of images and PDFs, for `stoker work --builtin ocr` and for people.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/duration.h"
#include "ocr/engine_process.h"
#include "ocr/languages.h"
#include "ocr/once.h"
#include "ocr/serve.h"

namespace {

constexpr char kExamples[] = R"text(
Examples:
  stoker-ocr --once letter.png               print the text of a file
  stoker-ocr --once letter.pdf --json        print words, boxes and confidence
  echo '{"id": "1", "input": "/tmp/a.png"}' | stoker-ocr
                                             answer requests, one JSON line each

Formats are PNG, JPEG, TIFF and PDF, detected by content. Models of languages
are Debian packages: tesseract-ocr-deu.
)text";

struct Arguments {
  std::string languages = "eng";
  std::string once;
  bool json = false;
  std::int64_t max_megapixels = 80;
  ocr::Limits limits;
};

std::string check_duration(const std::string& text) {
  const auto duration = base::parse_duration(text);
  return duration && duration->count() > 0 ? "" : "expected a time like 90s or 5m, not '" + text + "'";
}

std::string check_languages(const std::string& text) {
  const auto names = ocr::parse_languages(text);
  return names ? "" : names.error();
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("-l,--languages", arguments.languages, "Languages, joined by '+': eng+deu")
      ->check(check_languages)
      ->type_name("NAMES")
      ->capture_default_str();
  app.add_option("--once", arguments.once, "Print the text of this file and exit")->type_name("FILE");
  app.add_flag("--json", arguments.json, "With --once: print the result as JSON");
  app.add_option("--max-megapixels", arguments.max_megapixels, "Largest page")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-pages", arguments.limits.max_pages, "Most pages of a file")
      ->check(CLI::Range(1, 10000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--dpi", arguments.limits.dpi, "Resolution at which pages of a PDF are rendered")
      ->check(CLI::Range(int(ocr::kMinDpi), 1200))
      ->type_name("N")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--timeout", [&](const std::string& text) { arguments.limits.timeout = *base::parse_duration(text); },
         "Time for a file (1h)")
      ->check(check_duration)
      ->type_name("90s|5m");
}

// A bundle has its models beside the program; otherwise Tesseract's library finds those of its package.
void use_bundled_models() {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto models = self.parent_path().parent_path() / "share/tessdata";
  if (!failed && std::filesystem::is_directory(models, failed)) ::setenv("TESSDATA_PREFIX", models.c_str(), 0);
}

}  // namespace

int main(int argc, char** argv) {
  // Started by this program itself, not by people.
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == ocr::kEngineCommand) ocr::run_engine(words);
  CLI::App app("Recognises the text of images and PDFs with Tesseract.", "stoker-ocr");
  app.set_version_flag("--version", std::string("stoker-ocr ") + STOKER_VERSION);
  app.footer(kExamples);
  Arguments arguments;
  add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  arguments.limits.max_pixels = arguments.max_megapixels * 1'000'000;
  use_bundled_models();
  ocr::Recogniser recogniser({"/proc/self/exe"}, arguments.limits);
  try {
    if (!arguments.once.empty()) {
      return ocr::recognise_once(recogniser, arguments.once, arguments.languages, arguments.limits, arguments.json);
    }
    if (::isatty(STDIN_FILENO)) std::fprintf(stderr, "stoker-ocr reads requests from standard input; see --help\n");
    return ocr::serve(STDIN_FILENO, STDOUT_FILENO, recogniser, arguments.languages, arguments.limits);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stoker-ocr: %s\n", error.what());
  }
  return 1;
}
