// SPDX-License-Identifier: Apache-2.0
#include "base/systemd.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace base {
namespace {

// A service manager's socket.
class Manager {
 public:
  Manager() : folder_(std::filesystem::temp_directory_path() / ("stoker-notify-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    handle_ = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Manager() {
    ::close(handle_);
    ::unsetenv("NOTIFY_SOCKET");
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return (folder_ / "notify").string(); }
  std::string received() {
    char text[64];
    const ssize_t size = ::recv(handle_, text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  std::filesystem::path folder_;
  int handle_ = -1;
};

TEST(Systemd, TheServiceManagerReceivesTheState) {
  Manager manager;
  ::setenv("NOTIFY_SOCKET", manager.path().c_str(), 1);
  notify_systemd("READY=1");
  EXPECT_EQ(manager.received(), "READY=1");
}

TEST(Systemd, WithoutAServiceManagerNothingIsSent) {
  Manager manager;
  ::unsetenv("NOTIFY_SOCKET");
  notify_systemd("READY=1");
  EXPECT_EQ(manager.received(), "");
}

TEST(Systemd, AManagerThatIsGoneIsIgnored) {
  ::setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
  notify_systemd("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
}

}  // namespace
}  // namespace base
