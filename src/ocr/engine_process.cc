// SPDX-License-Identifier: Apache-2.0
#include "ocr/engine_process.h"

#include <fcntl.h>
#include <leptonica/allheaders.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "ocr/confine.h"
#include "ocr/engine.h"
#include "ocr/engine_messages.h"
#include "ocr/image.h"

namespace ocr {
namespace {

constexpr int kSocket = STDIN_FILENO;

EngineAnswer answer_order(Engine& engine, ReceivedOrder received, const ImageLimits& limits) {
  EngineAnswer answer;
  std::FILE* file = ::fdopen(received.file.get(), "rb");
  if (!file) {
    answer.error = Failure{kUnreadable, "the recognising process received no file"};
    return answer;
  }
  received.file.release();
  auto read = read_image(file, Format(received.order.format), received.order.page, limits);
  std::fclose(file);
  if (Failure* failure = std::get_if<Failure>(&read)) {
    answer.error = std::move(*failure);
    return answer;
  }
  Image& image = std::get<Image>(read);
  if (received.order.dpi) pixSetResolution(image.pix.get(), *received.order.dpi, *received.order.dpi);
  answer.pages = image.pages;
  answer.page = engine.recognise(image.pix.get(), received.order.page);
  answer.page->dpi = received.order.dpi;
  return answer;
}

EngineAnswer answer_or_fail(Engine& engine, ReceivedOrder received, const ImageLimits& limits) {
  EngineAnswer answer;
  try {
    return answer_order(engine, std::move(received), limits);
  } catch (const std::bad_alloc&) {
    answer.error = Failure{kTooLarge, "the page takes more memory than the recognising process may have"};
  } catch (const std::exception& error) {
    answer.error = Failure{kBrokenFile, std::string("the page can't be recognised: ") + error.what()};
  }
  return answer;
}

// Libraries complain about files on standard error, as much as a file wants them to.
void silence_errors() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

std::vector<std::string> engine_arguments(const std::string& languages, const Limits& limits) {
  return {kEngineCommand, languages, std::to_string(limits.max_pixels), std::to_string(limits.max_pages)};
}

void run_engine(const std::vector<std::string>& arguments) {
  const ImageLimits limits{std::atoll(arguments.at(2).c_str()), std::atoi(arguments.at(3).c_str())};
  silence_errors();
  // Its destructor would run into the filter, for files that are gone anyway.
  Engine& engine = *new Engine;
  EngineAnswer ready;
  ready.error = engine.load(arguments.at(1));
  if (!ready.error) {
    ready.engine = Engine::name();
    allow_computing_only();
  }
  bool connected = send_answer(kSocket, ready) && !ready.error;
  while (connected) {
    auto received = receive_order(kSocket);
    if (!received) break;
    connected = send_answer(kSocket, answer_or_fail(engine, std::move(*received), limits));
  }
  ::_exit(0);
}

}  // namespace ocr
