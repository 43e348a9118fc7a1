// SPDX-License-Identifier: Apache-2.0
#include "ocr/engine.h"

#include <leptonica/allheaders.h>
#include <tesseract/baseapi.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ocr/image.h"
#include "ocr/languages.h"

namespace ocr {
namespace {

double rounded(double confidence) { return std::round(confidence * 100) / 100; }

std::string text_of(char* made) {
  const std::unique_ptr<char[]> text(made);
  return text ? text.get() : "";
}

Word word_at(const tesseract::ResultIterator& at, const Word& place) {
  Word word = place;
  word.text = text_of(at.GetUTF8Text(tesseract::RIL_WORD));
  word.confidence = rounded(at.Confidence(tesseract::RIL_WORD));
  int left = 0, top = 0, right = 0, bottom = 0;
  at.BoundingBox(tesseract::RIL_WORD, &left, &top, &right, &bottom);
  word.box = {left, top, right - left, bottom - top};
  return word;
}

std::vector<Word> collect_words(tesseract::TessBaseAPI& api) {
  std::vector<Word> words;
  const std::unique_ptr<tesseract::ResultIterator> at(api.GetIterator());
  if (!at) return words;
  Word place;
  do {
    if (at->Empty(tesseract::RIL_WORD)) continue;
    if (at->IsAtBeginningOf(tesseract::RIL_BLOCK)) ++place.block;
    if (at->IsAtBeginningOf(tesseract::RIL_PARA)) ++place.paragraph;
    if (at->IsAtBeginningOf(tesseract::RIL_TEXTLINE)) ++place.line;
    words.push_back(word_at(*at, place));
  } while (at->Next(tesseract::RIL_WORD));
  return words;
}

double mean_confidence(const std::vector<Word>& words) {
  double sum = 0;
  for (const Word& word : words) sum += word.confidence;
  return words.empty() ? 0 : rounded(sum / double(words.size()));
}

Failure missing_languages(const std::vector<std::string>& missing) {
  std::string names, packages;
  for (const std::string& language : missing) {
    names += (names.empty() ? "'" : ", '") + language + "'";
    packages += (packages.empty() ? "" : " ") + debian_package(language);
  }
  return {kMissingLanguage, "Tesseract has no model for " + names + ": install the Debian package " + packages +
                                " on the machines that run the workers"};
}

}  // namespace

Engine::Engine() : api_(std::make_unique<tesseract::TessBaseAPI>()) {}
Engine::~Engine() = default;

std::string Engine::name() { return std::string("tesseract ") + tesseract::TessBaseAPI::Version(); }

std::optional<Failure> Engine::load(const std::string& languages) {
  const auto wanted = parse_languages(languages);
  if (!wanted) return Failure{kMissingLanguage, wanted.error()};
  if (api_->Init(nullptr, languages.c_str(), tesseract::OEM_DEFAULT) != 0) return missing_languages(*wanted);
  std::vector<std::string> loaded, missing;
  api_->GetLoadedLanguagesAsVector(&loaded);
  std::ranges::copy_if(*wanted, std::back_inserter(missing),
                       [&](const std::string& name) { return std::ranges::find(loaded, name) == loaded.end(); });
  if (!missing.empty()) return missing_languages(missing);
  api_->SetPageSegMode(tesseract::PSM_AUTO);
  const std::unique_ptr<Pix, FreePix> blank(pixCreate(200, 100, 8));
  pixSetAll(blank.get());
  recognise(blank.get(), 1);
  return std::nullopt;
}

Page Engine::recognise(Pix* pix, std::int32_t number) {
  Page page;
  page.page = number;
  page.width = pixGetWidth(pix);
  page.height = pixGetHeight(pix);
  api_->SetImage(pix);
  if (api_->Recognize(nullptr) == 0) {
    page.text = text_of(api_->GetUTF8Text());
    page.words = collect_words(*api_);
    page.confidence = mean_confidence(page.words);
  }
  // A page's result must not depend on the pages before it.
  api_->Clear();
  api_->ClearAdaptiveClassifier();
  return page;
}

}  // namespace ocr
