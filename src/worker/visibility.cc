// SPDX-License-Identifier: Apache-2.0
#include "worker/visibility.h"

#include "base/log.h"
#include "http/signal.h"

namespace worker {
namespace asio = boost::asio;
namespace {

using VisibilityClock = std::chrono::steady_clock;

// Of the visibility timeout: two attempts may fail before another worker gets the message.
constexpr int kExtensionsPerTimeout = 3;
// Messages that are due soon join those that are due now.
constexpr int kLooksPerExtension = 4;

}  // namespace

Visibility::Visibility(Queue& queue, base::Duration visibility, OnGone on_gone)
    : queue_(queue), visibility_(visibility), on_gone_(std::move(on_gone)) {}

void Visibility::hold(std::shared_ptr<Message> message) {
  const std::string receipt = message->receipt;
  held_[receipt] = {std::move(message), VisibilityClock::now() + visibility_ / kExtensionsPerTimeout};
}

void Visibility::let_go(const Message& message) { held_.erase(message.receipt); }

std::vector<std::shared_ptr<Message>> Visibility::held() const {
  std::vector<std::shared_ptr<Message>> messages;
  for (const auto& [receipt, held] : held_) messages.push_back(held.message);
  return messages;
}

asio::awaitable<void> Visibility::extend(std::vector<std::shared_ptr<Message>> messages) {
  std::vector<std::string> receipts;
  for (const auto& message : messages) receipts.push_back(message->receipt);
  std::vector<bool> gone = co_await queue_.extend(std::move(receipts), visibility_);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto found = held_.find(messages[i]->receipt);
    if (found == held_.end()) continue;  // finished meanwhile
    found->second.due = VisibilityClock::now() + visibility_ / kExtensionsPerTimeout;
    if (!gone[i]) continue;
    held_.erase(found);
    messages[i]->cancelled = true;
    on_gone_(messages[i]);
  }
}

std::vector<std::shared_ptr<Message>> Visibility::due_before(std::chrono::steady_clock::time_point time) const {
  std::vector<std::shared_ptr<Message>> due;
  for (const auto& [receipt, held] : held_) {
    if (held.due <= time && due.size() < kSqsBatch) due.push_back(held.message);
  }
  return due;
}

asio::awaitable<void> Visibility::run() {
  const base::Duration pause = std::max(visibility_ / (kExtensionsPerTimeout * kLooksPerExtension), base::Duration(1));
  for (;;) {
    co_await http::sleep_for(pause);
    const auto soon = VisibilityClock::now() + pause;
    for (auto due = due_before(soon); !due.empty(); due = due_before(soon)) {
      try {
        co_await extend(std::move(due));
      } catch (const std::exception& error) {
        base::log_warn("visibility not extended", {{"error", error.what()}});
        break;
      }
    }
  }
}

}  // namespace worker
