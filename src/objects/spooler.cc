// SPDX-License-Identifier: Apache-2.0
#include "objects/spooler.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <system_error>
#include <vector>

namespace objects {
namespace asio = boost::asio;
namespace {

// One is written while the next is gathered, so that an upload has two of them in memory.
constexpr std::size_t kBatchBytes = 512 * 1024;
// A copy leaves its thread to others after so much.
constexpr std::uint64_t kCopyBytes = 16 * 1024 * 1024;
// Written back while more comes, so that the sync at the end finds little to do.
constexpr std::uint64_t kFlushBytes = 16 * 1024 * 1024;
// Taken ahead of what is written, where more is known to come. Not all of it: a client that promises
// much and sends little must not fill the disk.
constexpr std::uint64_t kRoomBytes = 64 * 1024 * 1024;

std::vector<std::pair<base::Checksum, base::Hasher>> make_hashers(std::set<base::Checksum> kinds) {
  kinds.insert(base::Checksum::Md5);
  std::vector<std::pair<base::Checksum, base::Hasher>> hashers;
  for (base::Checksum kind : kinds) hashers.emplace_back(kind, base::Hasher(kind));
  return hashers;
}

// Blocks side by side, where the file system can.
void take_room(const base::File& file, std::uint64_t offset, std::uint64_t length) {
  const int failed = ::fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                                 static_cast<off_t>(length));
  if (!failed || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return;
  throw std::system_error(errno, std::generic_category(), "cannot make room for " + file.path());
}

std::string read_whole(const base::File& from, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  if (from.pread(bytes.data(), length, offset) == length) return bytes;
  throw std::system_error(EIO, std::generic_category(), from.path() + " is shorter than it was");
}

}  // namespace

// What disk threads work on, one at a time.
struct Spooler::State {
  State(Files& into, const SpoolOptions& options)
      : files(into), expected(options.size.value_or(0)), hashers(make_hashers(options.checksums)) {}
  ~State() {
    if (file && !kept) files.drop(name);
  }

  void hash(std::string_view bytes) {
    for (auto& [kind, hasher] : hashers) hasher.update(bytes);
  }

  void take(std::string_view bytes) {
    if (!file) {
      name = Files::new_name();
      file = files.create(name);
    }
    if (written + bytes.size() > room && expected > written + bytes.size()) {
      const std::uint64_t ahead = std::min(kRoomBytes, expected - written);
      take_room(*file, written, ahead);
      room = written + ahead;
    }
    file->write_all(bytes);
    hash(bytes);
    written += bytes.size();
    if (written - flushed < kFlushBytes) return;
    ::sync_file_range(file->descriptor(), static_cast<off_t>(flushed), static_cast<off_t>(written - flushed),
                      SYNC_FILE_RANGE_WRITE);
    flushed = written;
  }

  void make_durable() {
    file->sync();
    files.sync_names();
  }

  void copy(const base::File& from, std::uint64_t offset, std::uint64_t length) {
    while (length > 0) {
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(length, kBatchBytes));
      take(read_whole(from, offset, step));
      offset += step;
      length -= step;
    }
  }

  Files& files;
  std::uint64_t expected;
  std::vector<std::pair<base::Checksum, base::Hasher>> hashers;
  std::optional<base::File> file;
  std::string name;
  std::uint64_t written = 0, flushed = 0, room = 0;
  bool kept = false;
};

Spooler::Spooler(Files& files, DiskThreads& disk, SpoolOptions options)
    : disk_(disk), options_(std::move(options)), state_(std::make_shared<State>(files, options_)) {}

Spooler::~Spooler() {
  // Removing a large file takes its time: the last who holds the state is a disk thread.
  const bool on_disk = pending_.has_value() || state_->file;
  if (on_disk) disk_.post([state = std::move(state_)]() mutable { state.reset(); });
}

// Waits for the batch before this one, and does not wait for this one.
asio::awaitable<void> Spooler::hand_over(bool last) {
  if (pending_) {
    DiskThreads::Pending before = std::move(*pending_);
    co_await before.wait();
  }
  DiskThreads::Work work = [state = state_, batch = std::exchange(gathered_, {}), last] {
    state->take(batch);
    if (last) state->make_durable();
  };
  auto executor = co_await asio::this_coro::executor;
  pending_ = disk_.start(executor, std::move(work));
}

asio::awaitable<void> Spooler::write(std::string_view piece) {
  size_ += piece.size();
  while (!piece.empty()) {
    if (gathered_.capacity() == 0 && size_ > options_.inline_bytes) gathered_.reserve(kBatchBytes);
    const std::size_t fits = std::min(piece.size(), kBatchBytes - gathered_.size());
    gathered_.append(piece.substr(0, fits));
    piece.remove_prefix(fits);
    if (gathered_.size() == kBatchBytes) {
      co_await hand_over(false);
    }
  }
}

asio::awaitable<void> Spooler::copy(const base::File& from, std::uint64_t offset, std::uint64_t length) {
  if (size_ + length <= options_.inline_bytes) {
    std::string bytes;
    DiskThreads::Work read = [&] { bytes = read_whole(from, offset, static_cast<std::size_t>(length)); };
    co_await disk_.run(std::move(read));
    co_await write(bytes);
    co_return;
  }
  size_ += length;
  co_await hand_over(false);
  while (length > 0) {
    const std::uint64_t step = std::min(length, kCopyBytes);
    DiskThreads::Pending before = std::move(*pending_);
    co_await before.wait();
    DiskThreads::Work work = [state = state_, &from, offset, step] { state->copy(from, offset, step); };
    auto executor = co_await asio::this_coro::executor;
    pending_ = disk_.start(executor, std::move(work));
    offset += step;
    length -= step;
  }
  // `from` is the caller's: nothing may use it any more.
  DiskThreads::Pending before = std::move(*pending_);
  co_await before.wait();
  pending_.reset();
}

asio::awaitable<Spooled> Spooler::finish() {
  Spooled spooled;
  spooled.size = size_;
  if (size_ > options_.inline_bytes) {
    co_await hand_over(true);
    DiskThreads::Pending before = std::move(*pending_);
    co_await before.wait();
    pending_.reset();
    state_->kept = true;
    spooled.file = state_->name;
  } else {
    state_->hash(gathered_);
    spooled.bytes = std::move(gathered_);
  }
  for (auto& [kind, hasher] : state_->hashers) spooled.checksums[kind] = hasher.finish();
  co_return spooled;
}

}  // namespace objects
