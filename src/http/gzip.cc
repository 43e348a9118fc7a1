// SPDX-License-Identifier: Apache-2.0
#include "http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace http {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, with a gzip header
constexpr std::size_t kStepBytes = 64 * 1024;

struct Inflater {
  Inflater() { ready = inflateInit2(&stream, kGzipWindow) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  z_stream stream = {};
  bool ready = false;
};

Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

// Inflates one gzip member at the front of `input`.
base::Result<std::size_t> gunzip_member(std::string_view input, std::size_t limit, std::string& out) {
  Inflater inflater;
  if (!inflater.ready) return base::Error{"out of memory"};
  z_stream& stream = inflater.stream;
  stream.next_in = bytes_of(input);
  stream.avail_in = static_cast<uInt>(input.size());
  for (;;) {
    std::size_t before = out.size();
    // One byte past the limit, to distinguish a body that just fits from a larger one.
    std::size_t room = std::min(kStepBytes, limit - before + 1);
    out.resize(before + room);
    stream.next_out = bytes_of(out) + before;
    stream.avail_out = static_cast<uInt>(room);
    int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + room - stream.avail_out);
    if (out.size() > limit) return base::Error{"larger than " + std::to_string(limit) + " bytes when decompressed"};
    if (status == Z_STREAM_END) return input.size() - stream.avail_in;
    if (status != Z_OK) return base::Error{"not valid gzip"};
    if (stream.avail_in == 0 && stream.avail_out > 0) return base::Error{"truncated gzip"};
  }
}

}  // namespace

base::Result<std::string> gunzip(std::string_view compressed, std::size_t limit) {
  if (compressed.empty()) return base::Error{"not valid gzip"};
  if (compressed.size() > std::numeric_limits<uInt>::max()) return base::Error{"too large"};
  std::string out;
  while (!compressed.empty()) {
    base::Result<std::size_t> used = gunzip_member(compressed, limit, out);
    if (!used) return base::Error{used.error()};
    compressed.remove_prefix(*used);
  }
  return out;
}

std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  CHECK(status == Z_STREAM_END) << "deflateBound was too small";
  return out;
}

}  // namespace http
