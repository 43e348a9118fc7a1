// SPDX-License-Identifier: Apache-2.0
#include "base/systemd.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace base {

void notify_systemd(std::string_view state) {
  const char* name = std::getenv("NOTIFY_SOCKET");
  if (!name) return;
  const std::string_view path(name);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  std::ranges::copy(path, address.sun_path);
  // "@" stands for the zero byte of an abstract socket.
  if (path.front() == '@') address.sun_path[0] = '\0';
  const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  // A service manager that does not listen is not our concern: it ends the unit by its own time limit.
  (void)::sendto(handle, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(handle);
}

}  // namespace base
