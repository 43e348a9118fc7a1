// SPDX-License-Identifier: Apache-2.0
#include "agent/awslogs/file_watch.h"

#include <sys/inotify.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kWatchEventBytes = 16 * 1024;

}  // namespace

bool FileWatch::once(const std::string& path, Signal& signal) {
  if (!events_) {
    const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return false;
    events_ = std::make_unique<asio::posix::stream_descriptor>(executor_, fd);
    coroutines_.spawn("file watch", read_events());
  }
  const int number =
      ::inotify_add_watch(events_->native_handle(), path.c_str(), IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONESHOT);
  if (number < 0) return false;
  watched_[number] = &signal;
  return true;
}

void FileWatch::forget(const Signal& signal) {
  std::erase_if(watched_, [&](const auto& one) {
    if (one.second != &signal) return false;
    ::inotify_rm_watch(events_->native_handle(), one.first);
    return true;
  });
}

asio::awaitable<void> FileWatch::read_events() {
  std::array<char, kWatchEventBytes> bytes;
  for (;;) {
    const std::size_t got = co_await events_->async_read_some(asio::buffer(bytes), asio::use_awaitable);
    notify({bytes.data(), got});
  }
}

void FileWatch::notify(std::string_view events) {
  for (std::size_t at = 0; at + sizeof(inotify_event) <= events.size();) {
    inotify_event event;
    std::memcpy(&event, events.data() + at, sizeof event);
    at += sizeof event + event.len;
    // After the first event of a watch its number comes once more, with IN_IGNORED; numbers are not reused.
    const auto found = watched_.find(event.wd);
    if (found == watched_.end() || (event.mask & IN_IGNORED)) continue;
    Signal* signal = found->second;
    watched_.erase(found);
    signal->notify();
  }
}

}  // namespace agent
