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
// much and sends little must not fill the disk. And not for little: the file system writes down twice
// what it was told to expect.
constexpr std::uint64_t kRoomBytes = 64 * 1024 * 1024, kLeastRoomBytes = 16 * 1024 * 1024;

using Hashers = std::vector<std::pair<base::Checksum, base::Hasher>>;
using Batch = std::vector<std::string>;

// Those beside MD5, which takes longer than all others together and has a thread of its own.
Hashers make_hashers(const std::set<base::Checksum>& kinds) {
  Hashers hashers;
  for (base::Checksum kind : kinds) {
    if (kind != base::Checksum::Md5) hashers.emplace_back(kind, base::Hasher(kind));
  }
  return hashers;
}

std::string joined(Batch batch) {
  if (batch.size() == 1) return std::move(batch.front());
  std::string all;
  for (const std::string& piece : batch) all += piece;
  return all;
}

// Blocks side by side, where the file system can.
void take_room(const base::File& file, std::uint64_t offset, std::uint64_t length) {
  const int failed =
      ::fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length));
  if (!failed || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return;
  throw std::system_error(errno, std::generic_category(), "cannot make room for " + file.path());
}

std::string read_whole(const base::File& from, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  if (from.pread(bytes.data(), length, offset) == length) return bytes;
  throw std::system_error(EIO, std::generic_category(), from.path() + " is shorter than it was");
}

}  // namespace

// What disk threads work on: one of them on the file and all hashers but MD5's, one on that.
struct Spooler::State {
  State(Files& into, const SpoolOptions& options)
      : files(into), expected(options.size.value_or(0)), hashers(make_hashers(options.checksums)) {}
  ~State() {
    if (file && !kept) files.drop(name);
  }

  void create() {
    name = Files::new_name();
    file = files.create(name);
  }

  void write(std::string_view bytes) {
    make_room(bytes.size());
    file->write_all(bytes);
    hash(bytes);
    written += bytes.size();
    if (written - flushed < kFlushBytes) return;
    ::sync_file_range(file->descriptor(), static_cast<off_t>(flushed), static_cast<off_t>(written - flushed),
                      SYNC_FILE_RANGE_WRITE);
    flushed = written;
  }

  void make_room(std::uint64_t size) {
    if (written + size <= room || expected < written + kLeastRoomBytes) return;
    const std::uint64_t ahead = std::min(kRoomBytes, expected - written);
    take_room(*file, written, ahead);
    room = written + ahead;
  }

  void hash(std::string_view bytes) {
    for (auto& [kind, hasher] : hashers) hasher.update(bytes);
  }

  void copy(const base::File& from, std::uint64_t offset, std::uint64_t length) {
    while (length > 0) {
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(length, kBatchBytes));
      const std::string bytes = read_whole(from, offset, step);
      write(bytes);
      md5.update(bytes);
      offset += step;
      length -= step;
    }
  }

  Files& files;
  std::uint64_t expected;
  base::Hasher md5{base::Checksum::Md5};
  Hashers hashers;
  std::optional<base::File> file;
  std::string name;
  std::uint64_t written = 0, flushed = 0, room = 0;
  bool kept = false;
};

Spooler::Spooler(Files& files, DiskThreads& disk, SpoolOptions options)
    : disk_(disk), options_(std::move(options)), state_(std::make_shared<State>(files, options_)) {}

Spooler::~Spooler() {
  // Removing a large file takes its time: the last who holds the state is a disk thread.
  if (has_file_) disk_.post([state = std::move(state_)]() mutable { state.reset(); });
}

// Its name is synced while bytes are still on their way.
asio::awaitable<void> Spooler::make_file() {
  has_file_ = true;
  DiskThreads::Work create = [state = state_] { state->create(); };
  co_await disk_.run(std::move(create));
  DiskThreads::Work sync = [state = state_] { state->files.sync_names(); };
  auto executor = co_await asio::this_coro::executor;
  naming_ = disk_.start_wait(executor, std::move(sync));
}

asio::awaitable<void> Spooler::end(std::optional<DiskThreads::Pending>& lane) {
  if (!lane) co_return;
  DiskThreads::Pending pending = std::move(*lane);
  lane.reset();
  co_await pending.wait();
}

// Waits for the batch that was handed over before.
asio::awaitable<void> Spooler::settle() {
  co_await end(writing_);
  co_await end(summing_);
}

// Waits for the batch before this one, and does not wait for this one.
asio::awaitable<void> Spooler::hand_over() {
  co_await settle();
  // Shared by the two threads that read it.
  const auto batch = std::make_shared<const Batch>(std::exchange(gathered_, {}));
  gathered_bytes_ = 0;
  DiskThreads::Work write = [state = state_, batch] {
    for (const std::string& piece : *batch) state->write(piece);
  };
  DiskThreads::Work sum = [state = state_, batch] {
    for (const std::string& piece : *batch) state->md5.update(piece);
  };
  auto executor = co_await asio::this_coro::executor;
  writing_ = disk_.start(executor, std::move(write));
  summing_ = disk_.start(executor, std::move(sum));
}

asio::awaitable<void> Spooler::write(std::string piece) {
  size_ += piece.size();
  gathered_bytes_ += piece.size();
  // A piece may have come with much more room than it needs, for those after it: many small ones
  // would take up all of it each.
  if (!gathered_.empty() && piece.size() <= gathered_.back().capacity() - gathered_.back().size()) {
    gathered_.back() += piece;
  } else {
    gathered_.push_back(std::move(piece));
  }
  if (size_ <= options_.inline_bytes) co_return;
  if (!has_file_) {
    co_await make_file();
  }
  if (gathered_bytes_ >= kBatchBytes) {
    co_await hand_over();
  }
}

asio::awaitable<void> Spooler::copy(const base::File& from, std::uint64_t offset, std::uint64_t length) {
  if (size_ + length <= options_.inline_bytes) {
    std::string bytes;
    DiskThreads::Work read = [&] { bytes = read_whole(from, offset, static_cast<std::size_t>(length)); };
    co_await disk_.run(std::move(read));
    co_await write(std::move(bytes));
    co_return;
  }
  size_ += length;
  if (!has_file_) {
    co_await make_file();
  }
  co_await hand_over();
  while (length > 0) {
    co_await settle();
    const std::uint64_t step = std::min(length, kCopyBytes);
    DiskThreads::Work work = [state = state_, &from, offset, step] { state->copy(from, offset, step); };
    auto executor = co_await asio::this_coro::executor;
    writing_ = disk_.start(executor, std::move(work));
    offset += step;
    length -= step;
  }
  // `from` is the caller's: nothing may use it any more.
  co_await settle();
}

// MD5 goes on while the file is synced.
asio::awaitable<void> Spooler::finish_file() {
  if (!gathered_.empty()) {
    co_await hand_over();
  }
  co_await end(writing_);
  DiskThreads::Work sync = [state = state_] { state->file->sync(); };
  co_await disk_.run(std::move(sync));
  co_await end(summing_);
  co_await end(naming_);
  state_->kept = true;
}

asio::awaitable<Spooled> Spooler::finish() {
  Spooled spooled;
  spooled.size = size_;
  if (has_file_) {
    co_await finish_file();
    spooled.file = state_->name;
  } else {
    spooled.bytes = joined(std::move(gathered_));
    state_->hash(spooled.bytes);
    state_->md5.update(spooled.bytes);
  }
  spooled.checksums[base::Checksum::Md5] = state_->md5.finish();
  for (auto& [kind, hasher] : state_->hashers) spooled.checksums[kind] = hasher.finish();
  co_return spooled;
}

}  // namespace objects
