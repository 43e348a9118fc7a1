// SPDX-License-Identifier: Apache-2.0
#include "objects/piece_queue.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace objects {
namespace {

constexpr std::size_t kPiecesAtOnce = 64;

}  // namespace

void PieceQueue::add(const Pieces& pieces) {
  for (const auto& piece : pieces) {
    if (piece->empty()) continue;
    pieces_.push_back(piece);
    size_ += piece->size();
  }
}

void PieceQueue::write_to(const base::File& file, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t written = write_some(file, bytes);
    drop_front(written);
    bytes -= written;
  }
}

std::uint64_t PieceQueue::write_some(const base::File& file, std::uint64_t bytes) const {
  std::array<iovec, kPiecesAtOnce> parts;
  int count = 0;
  std::size_t skipped = begun_;
  for (auto piece = pieces_.begin(); piece != pieces_.end() && bytes > 0 && count < std::ssize(parts); ++piece) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>((*piece)->size() - skipped, bytes));
    parts[static_cast<std::size_t>(count++)] = {const_cast<char*>((*piece)->data()) + skipped, size};
    bytes -= size;
    skipped = 0;
  }
  const ssize_t written = ::writev(file.descriptor(), parts.data(), count);
  if (written < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.path());
  }
  return static_cast<std::uint64_t>(std::max<ssize_t>(written, 0));
}

void PieceQueue::drop_front(std::uint64_t bytes) {
  size_ -= bytes;
  while (bytes > 0) {
    const std::uint64_t left = pieces_.front()->size() - begun_;
    if (bytes < left) {
      begun_ += static_cast<std::size_t>(bytes);
      return;
    }
    pieces_.pop_front();
    begun_ = 0;
    bytes -= left;
  }
}

}  // namespace objects
