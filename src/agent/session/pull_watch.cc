// SPDX-License-Identifier: Apache-2.0
#include "agent/session/pull_watch.h"

#include "agent/session/socket.h"

namespace agent {
namespace asio = boost::asio;
namespace {

// An engine reports hundreds of times a second.
constexpr base::Duration kPause = std::chrono::seconds(1);

}  // namespace

// A new session begins with the state of that moment.
asio::awaitable<void> PullWatch::run() {
  std::string known = wire::write_frame("StokerPulls", shapes::agent::StokerPulls());
  for (;;) {
    std::string frame = wire::write_frame("StokerPulls", machine_.pulls.message());
    const bool changed = frame != known;
    if (changed && session_.socket()) session_.socket()->send(frame);
    known = std::move(frame);
    if (changed) {
      co_await sleep_for(kPause);
    } else {
      co_await machine_.pulls.progressed().wait(kLongestWait);
    }
  }
}

}  // namespace agent
