// SPDX-License-Identifier: Apache-2.0
// Amazon's error for each kind of mistake is known from the tests of Swift's S3 API, which also
// run against Amazon.
#include "signing/aws_chunked.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace signing {
namespace {

constexpr std::size_t kMaxChunkLineBytes = 512;  // a size and a signature have 98
constexpr std::size_t kMaxTrailerBytes = 16 * 1024;
constexpr std::uint64_t kMinChunkBytes = 8192;  // Amazon's, except for the last chunk

constexpr std::string_view kSignatureName = "x-amz-trailer-signature";

BodyError incomplete() { return BodyError(400, "IncompleteBody", "The request body terminated unexpectedly"); }

BodyError wrong_length(std::uint64_t expected, std::uint64_t provided) {
  return BodyError(
      400, "IncompleteBody", "You did not provide the number of bytes specified by the Content-Length HTTP header",
      {{"NumberBytesExpected", std::to_string(expected)}, {"NumberBytesProvided", std::to_string(provided)}});
}

// Splits at `mark`; false if it is absent.
bool split_at(std::string_view text, char mark, std::string_view& before, std::string_view& after) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return false;
  before = base::trim(text.substr(0, at));
  after = base::trim(text.substr(at + 1));
  return true;
}

// "10000;chunk-signature=ad80..." or "10000".
struct ChunkLine {
  std::uint64_t size = 0;
  std::string_view signature;
};

ChunkLine parse_chunk_line(std::string_view line, bool is_signed) {
  ChunkLine found;
  std::string_view digits = base::trim(line);
  if (is_signed) {
    std::string_view parameter, name;
    if (!split_at(line, ';', digits, parameter)) throw incomplete();
    if (!split_at(parameter, '=', name, found.signature)) throw incomplete();
    const bool plain = name == "chunk-signature" && found.signature.find(';') == found.signature.npos;
    if (!plain || found.signature.empty()) throw incomplete();
  }
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, found.size, 16);
  if (error != std::errc() || stop != end) throw incomplete();
  return found;
}

}  // namespace

BodyError malformed_trailer() {
  return BodyError(400, "MalformedTrailerError",
                   "The request contained trailing data that was not well-formed or did not conform to our published "
                   "schema.");
}

AwsChunkedDecoder::AwsChunkedDecoder(AwsChunked form, std::shared_ptr<const SigningKey> key)
    : form_(std::move(form)), key_(std::move(key)), previous_signature_(form_.seed_signature) {
  CHECK(!form_.signed_chunks || key_) << "signed chunks without their key";
}

std::string_view AwsChunkedDecoder::next(std::string_view& input) {
  if (state_ == State::Data) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), chunk_left_));
    const std::string_view data = input.substr(0, size);
    input.remove_prefix(size);
    chunk_left_ -= size;
    if (hasher_) hasher_->update(data);
    if (chunk_left_ == 0) end_chunk();
    return data;
  }
  if (state_ == State::Done) {
    input = {};
  } else if (state_ == State::Trailer) {
    if (!take_line(input, kMaxTrailerBytes - trailer_bytes_)) return {};
    trailer_bytes_ += line_.size() + 2;
    add_trailer();
    line_.clear();
  } else if (take_line(input, kMaxChunkLineBytes)) {
    if (state_ == State::Size) {
      start_chunk();
    } else if (line_.empty()) {
      state_ = State::Size;
    } else {
      throw incomplete();  // the chunk is longer than its size
    }
    line_.clear();
  }
  return {};
}

// True if line_ is one complete line; its end is removed then.
bool AwsChunkedDecoder::take_line(std::string_view& input, std::size_t limit) {
  const std::size_t end = input.find('\n');
  const std::size_t size = end == input.npos ? input.size() : end + 1;
  if (line_.size() + size > limit) throw state_ == State::Trailer ? malformed_trailer() : incomplete();
  line_ += input.substr(0, size);
  input.remove_prefix(size);
  if (end == input.npos) return false;
  if (!line_.ends_with("\r\n")) throw incomplete();
  line_.resize(line_.size() - 2);
  return true;
}

void AwsChunkedDecoder::start_chunk() {
  const ChunkLine line = parse_chunk_line(line_, form_.signed_chunks);
  ++chunks_;
  // Only now is it known that the previous chunk was not the last and thus too small. Amazon reports
  // the number of this chunk.
  if (line.size > 0 && chunks_ > 1 && chunk_size_ < kMinChunkBytes) {
    throw BodyError(403, "InvalidChunkSizeError", "Only the last chunk is allowed to have a size less than 8192 bytes",
                    {{"Chunk", std::to_string(chunks_)}, {"BadChunkSize", std::to_string(chunk_size_)}});
  }
  if (line.size > form_.decoded_length - decoded_) throw wrong_length(form_.decoded_length, decoded_ + line.size);
  decoded_ += line.size;
  chunk_size_ = chunk_left_ = line.size;
  chunk_signature_ = line.signature;
  if (form_.signed_chunks) hasher_.emplace(base::Checksum::Sha256);
  state_ = State::Data;
  if (line.size == 0) end_chunk();
}

void AwsChunkedDecoder::end_chunk() {
  if (form_.signed_chunks) {
    static const std::string empty_hash = base::to_hex(base::sha256(""));
    check_signature("PAYLOAD", empty_hash + "\n" + base::to_hex(hasher_->finish()), chunk_signature_);
    previous_signature_ = chunk_signature_;
  }
  state_ = chunk_size_ > 0 ? State::DataEnd : State::Trailer;
}

void AwsChunkedDecoder::add_trailer() {
  if (line_.empty()) {
    end_trailers();
    return;
  }
  std::string_view name, value;
  if (!form_.trailer || !split_at(line_, ':', name, value)) throw incomplete();
  if (base::equals_ignoring_case(name, kSignatureName)) {
    trailer_signature_ = value;
  } else {
    trailers_.set(base::to_lower(name), std::string(value));  // the last of two equal names counts
  }
}

void AwsChunkedDecoder::end_trailers() {
  if (form_.signed_chunks && form_.trailer) {
    if (trailer_signature_.empty() || trailers_.empty()) throw incomplete();
    std::vector<std::string> lines;
    for (const auto& [name, value] : trailers_) lines.push_back(name + ":" + value + "\n");
    std::ranges::sort(lines);
    std::string canonical;
    for (const std::string& line : lines) canonical += line;
    check_signature("TRAILER", base::to_hex(base::sha256(canonical)), trailer_signature_);
  }
  if (decoded_ != form_.decoded_length) throw wrong_length(form_.decoded_length, decoded_);
  const bool all_came =
      std::ranges::all_of(form_.trailers, [&](const std::string& name) { return trailers_.find(name); });
  if (!all_came || trailers_.size() != form_.trailers.size()) throw malformed_trailer();
  state_ = State::Done;
}

void AwsChunkedDecoder::check_signature(std::string_view name, std::string_view hashes, std::string_view given) {
  std::string text = "AWS4-HMAC-SHA256-";
  text.append(name).append("\n").append(form_.timestamp).append("\n").append(form_.scope).append("\n");
  text.append(previous_signature_).append("\n").append(hashes);
  if (base::equals_in_constant_time(key_->sign(text), given)) return;
  throw BodyError(403, "SignatureDoesNotMatch",
                  "The request signature we calculated does not match the signature you provided. Check your key and "
                  "signing method.",
                  {{"StringToSign", text}, {"SignatureProvided", std::string(given)}});
}

base::Headers AwsChunkedDecoder::finish() {
  // The empty line after the last chunk or trailer is optional.
  if (state_ == State::Trailer && line_.empty()) end_trailers();
  if (state_ != State::Done) throw incomplete();
  return std::move(trailers_);
}

}  // namespace signing
