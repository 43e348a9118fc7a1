// SPDX-License-Identifier: Apache-2.0
// Pieces of a file that wait to be written.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace objects {

using Pieces = std::vector<std::shared_ptr<const std::string>>;  // shared by the writer and the hasher

class PieceQueue {
 public:
  void add(const Pieces& pieces);
  std::uint64_t size() const { return size_; }
  // Appends this many bytes to the file, in as few calls as possible. Throws std::system_error.
  void write_to(const base::File& file, std::uint64_t bytes);

 private:
  std::uint64_t write_some(const base::File& file, std::uint64_t bytes) const;
  void drop_front(std::uint64_t bytes);

  std::deque<std::shared_ptr<const std::string>> pieces_;
  std::size_t begun_ = 0;  // bytes of the first piece that are already written
  std::uint64_t size_ = 0;
};

}  // namespace objects
