// SPDX-License-Identifier: Apache-2.0
// aws-chunked bodies in one piece and cut in two: both must decode to the same bytes or fail with
// the same error, and never to more bytes than announced.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "signing/aws_chunked.h"

namespace {

std::string transcript(const signing::AwsChunked& form, std::string_view bytes, std::size_t cut) {
  static const auto key =
      std::make_shared<const signing::SigningKey>("a secret", signing::Scope{"20130524", "r", "s3"});
  signing::AwsChunkedDecoder decoder(form, key);
  std::string found;
  try {
    for (std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
      while (!piece.empty()) {
        const std::size_t before = piece.size();
        found += decoder.next(piece);
        CHECK(piece.size() < before) << "a call that took nothing";
      }
    }
    CHECK(found.size() <= form.decoded_length) << "more than was promised";
    for (const auto& [name, value] : decoder.finish()) found += "\n" + name + ":" + value;
    CHECK(!form.signed_chunks) << "a forged signature passed";
  } catch (const signing::BodyError& error) {
    return "refused " + error.code();
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  signing::AwsChunked form;
  form.signed_chunks = data[0] & 1;
  form.trailer = data[0] & 2;
  if (data[0] & 4) form.trailers = {"x-amz-checksum-crc32"};
  form.decoded_length = data[1];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t cut = data[2] * bytes.size() / 256;
  CHECK(transcript(form, bytes, bytes.size()) == transcript(form, bytes, cut)) << "a cut at " << cut << " mattered";
  return 0;
}
