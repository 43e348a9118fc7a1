// SPDX-License-Identifier: Apache-2.0
// A run of bytes on its way in: hashed as it comes, in memory while it is short, and from then on a
// file that disk threads write while more of it is read. One writes and syncs it while another hashes:
// an upload that is alone takes little longer than the slower of the two.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "objects/piece_queue.h"

namespace objects {

struct SpoolOptions {
  std::size_t inline_bytes = 0;            // up to here it stays in memory
  std::set<base::Checksum> checksums;      // beside MD5
  std::optional<std::uint64_t> size = {};  // where it is known: room is taken ahead
};

// All of it, durable where it is a file.
struct Spooled {
  std::uint64_t size = 0;
  std::map<base::Checksum, std::string> checksums;  // raw; MD5 among them
  std::string bytes;                                // or
  std::string file;                                 // its name: keep() it or drop() it
};

class Spooler {
 public:
  Spooler(Files& files, DiskThreads& disk, SpoolOptions options);
  // What was not finished is gone.
  ~Spooler();

  // These throw std::system_error, ENOSPC among them; perhaps for what was given before.
  boost::asio::awaitable<void> write(std::string piece);
  // Some of a file. It must be that long: throws where it is not.
  boost::asio::awaitable<void> copy(const base::File& from, std::uint64_t offset, std::uint64_t length);
  // The last call.
  boost::asio::awaitable<Spooled> finish();

  std::uint64_t size() const { return size_; }

 private:
  struct State;
  // Pieces that are taken in their order, some at a time by one thread.
  struct Lane {
    void (State::*take)(const Pieces& pieces);
    Pieces waiting = {};
    std::size_t waiting_bytes = 0;
    std::optional<DiskThreads::Pending> running = {};
  };

  void share_out();
  boost::asio::awaitable<void> hand_over();
  boost::asio::awaitable<void> go_on(Lane& lane);
  boost::asio::awaitable<void> end(Lane& lane);
  DiskThreads::Work rest_of(Lane& lane);
  boost::asio::awaitable<void> settle(Lane& lane);
  boost::asio::awaitable<void> finish_file();

  DiskThreads& disk_;
  SpoolOptions options_;
  std::shared_ptr<State> state_;  // shared with the work on its way, which may outlive us
  std::uint64_t size_ = 0;
  std::string gathered_;  // what is not handed over yet
  bool is_file_ = false;
  Lane writing_, hashing_;
};

}  // namespace objects
