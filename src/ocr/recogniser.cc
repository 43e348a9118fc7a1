// SPDX-License-Identifier: Apache-2.0
#include "ocr/recogniser.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/duration.h"
#include "ocr/engine_process.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STOKER_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STOKER_SANITIZED
#endif
#endif

namespace ocr {
namespace {

// Sanitizers reserve terabytes of address space.
#ifdef STOKER_SANITIZED
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

// Tesseract's threads cost more than they gain, and workers share the processors by their number.
std::vector<std::string> engine_environment() {
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "OMP_THREAD_LIMIT=1"};
  if (const char* models = std::getenv("TESSDATA_PREFIX")) environment.push_back(std::string("TESSDATA_PREFIX=") + models);
  return environment;
}

}  // namespace

void Recogniser::launch(const std::string& languages) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  ChildCommand command;
  command.arguments = program_;
  for (std::string& argument : engine_arguments(languages, limits_)) command.arguments.push_back(std::move(argument));
  command.environment = engine_environment();
  command.input = command.output = other.get();
  if (kLimitsMemory) command.limits.memory_bytes = engine_memory_bytes(limits_);
  child_ = Child(command);
  languages_ = languages;
}

std::optional<Failure> Recogniser::start(const std::string& languages, Deadline deadline) {
  if (child_ && languages == languages_ && !child_.has_ended()) return std::nullopt;
  child_.end();
  launch(languages);
  auto answer = receive_answer(socket_.get(), deadline);
  if (const NoAnswer* none = std::get_if<NoAnswer>(&answer)) return failure_of(*none, "while it loaded its models");
  EngineAnswer& ready = std::get<EngineAnswer>(answer);
  if (ready.error) {
    child_.end();
    return std::move(ready.error);
  }
  engine_ = ready.engine.value_or("");
  return std::nullopt;
}

std::variant<EngineAnswer, Failure> Recogniser::recognise(const Order& order, int file, Deadline deadline) {
  const std::string what = "on page " + std::to_string(order.page);
  if (!send_order(socket_.get(), order, file)) return failure_of(NoAnswer::Gone, what);
  auto answer = receive_answer(socket_.get(), deadline);
  if (const NoAnswer* none = std::get_if<NoAnswer>(&answer)) return failure_of(*none, what);
  EngineAnswer& page = std::get<EngineAnswer>(answer);
  if (page.error) return std::move(*page.error);
  if (!page.page) return failure_of(NoAnswer::Invalid, what);
  return std::move(page);
}

Failure Recogniser::failure_of(NoAnswer reason, const std::string& what) {
  // One that is gone has closed its socket and is about to end: its own status says more than that of a kill.
  if (reason == NoAnswer::Gone) child_.wait(std::chrono::steady_clock::now() + std::chrono::seconds(5));
  const int status = child_.end();
  switch (reason) {
    case NoAnswer::Late:
      return {kTimeout, "the time limit of " + base::duration_text(limits_.timeout) + " for a file has passed " + what};
    case NoAnswer::Invalid: return {kCrashed, "the recognising process sent an invalid answer " + what};
    case NoAnswer::Gone: break;
  }
  return {kCrashed, "the recognising process " + describe_status(status) + " " + what};
}

}  // namespace ocr
