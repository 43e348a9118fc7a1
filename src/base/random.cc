// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <sys/random.h>

#include <cstring>

#include "base/bytes.h"
#include "base/check.h"

namespace base {
namespace {

// A system call per id costs too much at 100,000 messages a second, so each thread
// reads the kernel's bytes a page at a time and never uses one twice.
struct Pool {
  char bytes[4096];
  std::size_t used = sizeof bytes;
};

void take(char* out, std::size_t count) {
  thread_local Pool pool;
  while (count) {
    if (pool.used == sizeof pool.bytes) {
      std::size_t filled = 0;
      while (filled < sizeof pool.bytes) {
        ssize_t got = getrandom(pool.bytes + filled, sizeof pool.bytes - filled, 0);
        CHECK(got > 0 || errno == EINTR) << "getrandom: " << std::strerror(errno);
        if (got > 0) filled += static_cast<std::size_t>(got);
      }
      pool.used = 0;
    }
    std::size_t part = std::min(count, sizeof pool.bytes - pool.used);
    std::memcpy(out, pool.bytes + pool.used, part);
    std::memset(pool.bytes + pool.used, 0, part);
    pool.used += part;
    out += part;
    count -= part;
  }
}

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  take(out.data(), count);
  return out;
}

std::string random_text(std::size_t length, std::string_view alphabet) {
  CHECK(!alphabet.empty() && alphabet.size() <= 256);
  // Bytes past the last whole multiple would make the first letters more likely.
  const std::size_t usable = 256 / alphabet.size() * alphabet.size();
  std::string out;
  out.reserve(length);
  while (out.size() < length) {
    char byte;
    take(&byte, 1);
    auto value = static_cast<unsigned char>(byte);
    if (value < usable) out += alphabet[value % alphabet.size()];
  }
  return out;
}

std::string random_uuid() {
  std::string bytes = random_bytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string hex = to_hex(bytes);
  for (std::size_t at : {8, 13, 18, 23}) hex.insert(at, 1, '-');
  return hex;
}

}  // namespace base
