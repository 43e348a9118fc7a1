// SPDX-License-Identifier: Apache-2.0
// Receives a body: hashes it as it arrives, keeps it in memory while it is short, else writes it to a file on disk
// threads while more arrives. One thread writes and syncs while another hashes, so that a single upload takes little
// longer than the slower of the two.
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
  std::size_t inline_bytes = 0;            // a body up to this size stays in memory
  std::set<base::Checksum> checksums;      // in addition to MD5
  std::optional<std::uint64_t> size = {};  // if known: for preallocation
};

// The complete body, durable if it is a file.
struct Spooled {
  std::uint64_t size = 0;
  std::map<base::Checksum, std::string> checksums;  // raw; includes MD5
  std::string bytes;                                // the body, or
  std::string file;                                 // the name of its file: keep() or drop() it
};

class Spooler {
 public:
  Spooler(Files& files, DiskThreads& disk, SpoolOptions options);
  // Deletes an unfinished file.
  ~Spooler();

  // These throw std::system_error (ENOSPC, for example), possibly for earlier bytes.
  boost::asio::awaitable<void> write(std::string piece);
  // Appends a part of a file. Throws if the file is too short.
  boost::asio::awaitable<void> copy(const base::File& from, std::uint64_t offset, std::uint64_t length);
  // The last call.
  boost::asio::awaitable<Spooled> finish();

  std::uint64_t size() const { return size_; }

 private:
  struct State;
  // Pieces that one thread at a time processes in order.
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
  std::shared_ptr<State> state_;  // shared with running works, which may outlive this object
  std::uint64_t size_ = 0;
  std::string gathered_;  // bytes that are not yet passed on
  bool is_file_ = false;
  Lane writing_, hashing_;
};

}  // namespace objects
