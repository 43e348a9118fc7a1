// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/backup_hold.h"

#include <memory>
#include <string>

#include "wire/error.h"

namespace doors::objects {
namespace asio = boost::asio;
namespace {

// A line at least this often shows that the client still reads.
constexpr base::Duration kLineEvery = std::chrono::seconds(1);
// A client that never ends must not fill the disk with deleted files.
constexpr base::Duration kLongestBackup = std::chrono::hours(24);
constexpr char kHeld[] = "held\n";

}  // namespace

asio::awaitable<http::Response> BackupHold::serve(http::Exchange& exchange, services::Caller caller) {
  if (!caller.root) throw wire::ApiError("AccessDeniedException", "Only the root key may back up the server.");
  std::vector<std::shared_ptr<const void>> holds;
  for (const ::objects::Files* files : files_) holds.push_back(files->hold_all());
  const base::Time until = engine_.clock().now() + kLongestBackup;
  http::Response head{200, {{"Content-Type", "text/plain"}}, kHeld};
  co_await exchange.start(std::move(head));
  while (!engine_.draining() && !exchange.peer_gone() && engine_.clock().now() < until) {
    const std::uint64_t seen = engine_.topics().seen();
    co_await engine_.topics().wait("stoker/backup", seen, kLineEvery);
    std::string line = kHeld;
    co_await exchange.write_piece(std::move(line));
  }
  co_return http::Response{};
}

}  // namespace doors::objects
