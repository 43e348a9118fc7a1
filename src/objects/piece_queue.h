// SPDX-License-Identifier: Apache-2.0
// Pieces of a file on their way to it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace objects {

using Pieces = std::vector<std::shared_ptr<const std::string>>;  // shared by who writes and who hashes them

class PieceQueue {
 public:
  void add(const Pieces& pieces);
  std::uint64_t size() const { return size_; }
  // So much of its front, at the file's end, in as few calls as can be. Throws std::system_error.
  void write_to(const base::File& file, std::uint64_t bytes);

 private:
  std::uint64_t write_some(const base::File& file, std::uint64_t bytes) const;
  void drop_front(std::uint64_t bytes);

  std::deque<std::shared_ptr<const std::string>> pieces_;
  std::size_t begun_ = 0;  // of the first, which is written already
  std::uint64_t size_ = 0;
};

}  // namespace objects
