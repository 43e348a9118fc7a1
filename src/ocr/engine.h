// SPDX-License-Identifier: Apache-2.0
// Recognition with Tesseract. Runs in the recognising process only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ocr/answer.h"

struct Pix;
namespace tesseract {
class TessBaseAPI;
}

namespace ocr {

class Engine {
 public:
  Engine();
  ~Engine();

  // Loads the models of "eng+deu", and runs once, so that nothing is left to load.
  std::optional<Failure> load(const std::string& languages);
  Page recognise(Pix* pix, std::int32_t number);

  static std::string name();  // "tesseract 5.3.0"

 private:
  std::unique_ptr<tesseract::TessBaseAPI> api_;
};

}  // namespace ocr
