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

// Smaller pieces are gathered up to this size.
constexpr std::size_t kPieceBytes = 128 * 1024;
// The most bytes that wait to be written or hashed: reading pauses above this.
constexpr std::size_t kAheadBytes = 256 * 1024;
// Unit and alignment of writes: the kernel then caches the file in larger folios, which makes sending it a third
// cheaper than single pages.
constexpr std::uint64_t kStrideBytes = 512 * 1024;
// A copy yields its thread after this many bytes.
constexpr std::uint64_t kCopyBytes = 16 * 1024 * 1024;
// Write-back begins after this many bytes, so that the final sync has little to do.
constexpr std::uint64_t kFlushBytes = 16 * 1024 * 1024;
// Preallocated ahead of the writes if the size is known. Not the whole size: a client that announces much and sends
// little must not fill the disk. And not for small files: it makes the file system update its metadata twice.
constexpr std::uint64_t kRoomBytes = 64 * 1024 * 1024, kLeastRoomBytes = 16 * 1024 * 1024;

using Hashers = std::vector<std::pair<base::Checksum, base::Hasher>>;

Hashers make_hashers(std::set<base::Checksum> kinds) {
  kinds.insert(base::Checksum::Md5);
  Hashers hashers;
  for (base::Checksum kind : kinds) hashers.emplace_back(kind, base::Hasher(kind));
  return hashers;
}

// Preallocates contiguous blocks if the file system supports it.
void take_room(const base::File& file, std::uint64_t offset, std::uint64_t length) {
  const int failed =
      ::fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length));
  if (!failed || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return;
  throw std::system_error(errno, std::generic_category(), "cannot allocate space for " + file.path());
}

std::string read_whole(const base::File& from, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  if (from.pread(bytes.data(), length, offset) == length) return bytes;
  throw std::system_error(EIO, std::generic_category(), from.path() + " is shorter than it was");
}

}  // namespace

// Used by the disk threads: one works on the file, one on the hashers.
struct Spooler::State {
  State(Files& into, const SpoolOptions& options)
      : files(into), expected(options.size.value_or(0)), hashers(make_hashers(options.checksums)) {}
  ~State() {
    if (!name.empty() && !kept) files.drop(name);
  }

  // All complete strides.
  void write_all(const Pieces& pieces) {
    unwritten.add(pieces);
    const std::uint64_t end = written + unwritten.size(), whole = end - end % kStrideBytes;
    if (whole > written) write(whole - written);
  }
  void hash_all(const Pieces& pieces) {
    for (const auto& piece : pieces) hash(*piece);
  }

  void write(std::uint64_t size) {
    if (!file) create();
    make_room(size);
    unwritten.write_to(*file, size);
    written += size;
    if (written - flushed < kFlushBytes) return;
    ::sync_file_range(file->descriptor(), static_cast<off_t>(flushed), static_cast<off_t>(written - flushed),
                      SYNC_FILE_RANGE_WRITE);
    flushed = written;
  }

  void create() {
    name = Files::new_name();
    file = files.create(name);
  }

  void make_room(std::uint64_t size) {
    files.require_room(size);
    if (written + size <= room || expected < written + kLeastRoomBytes) return;
    const std::uint64_t ahead = std::min(kRoomBytes, expected - written);
    files.require_room(ahead);
    take_room(*file, written, ahead);
    room = written + ahead;
  }

  // The name after the bytes: on a journaling file system the first sync has usually covered both.
  void end() {
    write(unwritten.size());
    file->sync();
    files.sync_names();
    file.reset();
  }

  void hash(std::string_view bytes) {
    for (auto& [kind, hasher] : hashers) hasher.update(bytes);
  }

  void copy(const base::File& from, std::uint64_t offset, std::uint64_t length) {
    while (length > 0) {
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(length, kStrideBytes));
      const Pieces bytes = {std::make_shared<const std::string>(read_whole(from, offset, step))};
      write_all(bytes);
      hash_all(bytes);
      offset += step;
      length -= step;
    }
  }

  Files& files;
  std::uint64_t expected;
  Hashers hashers;
  std::optional<base::File> file;
  std::string name;
  PieceQueue unwritten;
  std::uint64_t written = 0, flushed = 0, room = 0;
  bool kept = false;
};

Spooler::Spooler(Files& files, DiskThreads& disk, SpoolOptions options)
    : disk_(disk),
      options_(std::move(options)),
      state_(std::make_shared<State>(files, options_)),
      writing_{&State::write_all},
      hashing_{&State::hash_all} {}

Spooler::~Spooler() {
  // Deleting a large file takes time, so a disk thread does it.
  if (is_file_ && !state_->kept) disk_.post([state = std::move(state_)]() mutable { state.reset(); });
}

// Waits for the lane's thread; rethrows.
asio::awaitable<void> Spooler::end(Lane& lane) {
  if (!lane.running) co_return;
  DiskThreads::Pending running = std::move(*lane.running);
  lane.running.reset();
  co_await running.wait();
}

DiskThreads::Work Spooler::rest_of(Lane& lane) {
  lane.waiting_bytes = 0;
  return [state = state_, take = lane.take, pieces = std::exchange(lane.waiting, {})] { ((*state).*take)(pieces); };
}

// Passes the waiting pieces to the lane's thread once it is idle. Waits for the thread only if too many bytes wait.
asio::awaitable<void> Spooler::go_on(Lane& lane) {
  if (lane.running && !lane.running->ended() && lane.waiting_bytes < kAheadBytes) co_return;
  co_await end(lane);
  auto executor = co_await asio::this_coro::executor;
  lane.running = disk_.start(executor, rest_of(lane));
}

void Spooler::share_out() {
  is_file_ = true;
  const auto piece = std::make_shared<const std::string>(std::exchange(gathered_, {}));
  for (Lane* lane : {&writing_, &hashing_}) {
    lane->waiting.push_back(piece);
    lane->waiting_bytes += piece->size();
  }
}

asio::awaitable<void> Spooler::hand_over() {
  share_out();
  co_await go_on(writing_);
  co_await go_on(hashing_);
}

// Waits until the lane is empty and its thread idle.
asio::awaitable<void> Spooler::settle(Lane& lane) {
  co_await end(lane);
  if (lane.waiting.empty()) co_return;
  co_await go_on(lane);
  co_await end(lane);
}

asio::awaitable<void> Spooler::write(std::string piece) {
  size_ += piece.size();
  const bool is_long = size_ > options_.inline_bytes;
  // A small piece may arrive in a large buffer: the next pieces are appended to it.
  if (!gathered_.empty() && (!is_long || piece.size() < kPieceBytes)) {
    gathered_ += piece;
  } else {
    if (!gathered_.empty()) share_out();
    gathered_ = std::move(piece);
  }
  if (is_long && gathered_.size() >= kPieceBytes) {
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
  co_await hand_over();
  co_await settle(writing_);
  co_await settle(hashing_);
  auto executor = co_await asio::this_coro::executor;
  while (length > 0) {
    const std::uint64_t step = std::min(length, kCopyBytes);
    DiskThreads::Work work = [state = state_, &from, offset, step] { state->copy(from, offset, step); };
    // `from` belongs to the caller: no thread may use it after the return.
    writing_.running = disk_.start(executor, std::move(work));
    co_await end(writing_);
    offset += step;
    length -= step;
  }
}

// Hashes the rest while it is written and synced. The sync does not occupy a computing thread.
asio::awaitable<void> Spooler::finish_file() {
  share_out();
  if (!hashing_.running || hashing_.running->ended()) {
    co_await go_on(hashing_);
  }
  co_await end(writing_);
  DiskThreads::Work last = [state = state_, write = rest_of(writing_)] {
    write();
    state->end();
  };
  auto executor = co_await asio::this_coro::executor;
  writing_.running = disk_.start_wait(executor, std::move(last));
  co_await settle(hashing_);
  co_await settle(writing_);
  state_->kept = true;
}

asio::awaitable<Spooled> Spooler::finish() {
  Spooled spooled;
  spooled.size = size_;
  if (is_file_ || size_ > options_.inline_bytes) {
    co_await finish_file();
    spooled.file = state_->name;
  } else {
    spooled.bytes = std::move(gathered_);
    state_->hash(spooled.bytes);
  }
  for (auto& [kind, hasher] : state_->hashers) spooled.checksums[kind] = hasher.finish();
  co_return spooled;
}

}  // namespace objects
