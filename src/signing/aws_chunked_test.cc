// SPDX-License-Identifier: Apache-2.0
#include "signing/aws_chunked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/example_key.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Pair;
using testing::StartsWith;

// The key and time of the examples in Amazon's reference.
const Scope kScope = {"20130524", "us-east-1", "s3"};
constexpr const char* kTimestamp = "20130524T000000Z";
constexpr const char* kSeed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";

std::shared_ptr<const SigningKey> example_key() { return std::make_shared<const SigningKey>(kExampleSecret, kScope); }

AwsChunked form_of(bool signed_chunks, bool trailer, std::uint64_t decoded_length) {
  AwsChunked form;
  form.signed_chunks = signed_chunks;
  form.trailer = trailer;
  form.decoded_length = decoded_length;
  form.timestamp = kTimestamp;
  form.scope = kScope.text();
  form.seed_signature = kSeed;
  return form;
}

AwsChunked with_crc32(AwsChunked form) {
  form.trailers = {"x-amz-checksum-crc32"};
  return form;
}

struct Decoded {
  std::string bytes;
  base::Headers trailers;
};

// Decodes `body` in steps of `step` bytes.
Decoded decode(const AwsChunked& form, std::string_view body, std::size_t step = std::string_view::npos) {
  AwsChunkedDecoder decoder(form, example_key());
  Decoded out;
  while (!body.empty()) {
    std::string_view piece = body.substr(0, step);
    body.remove_prefix(piece.size());
    while (!piece.empty()) out.bytes += decoder.next(piece);
  }
  out.trailers = decoder.finish();
  EXPECT_TRUE(decoder.done());
  return out;
}

BodyError decode_error(const AwsChunked& form, std::string_view body) {
  try {
    decode(form, body);
  } catch (const BodyError& error) {
    return error;
  }
  return BodyError(200, "none", "it was accepted");
}

// Signs chunks like a client; `last` is the previous signature.
class Signer {
 public:
  std::string chunk(std::string_view data) {
    sign("PAYLOAD", base::to_hex(base::sha256("")) + "\n" + base::to_hex(base::sha256(data)));
    char size[20];
    std::snprintf(size, sizeof size, "%zx", data.size());
    return std::string(size) + ";chunk-signature=" + last_ + "\r\n" + std::string(data) + (data.empty() ? "" : "\r\n");
  }
  // The chunks, and the empty one that ends them.
  std::string chunks(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (std::string_view part : parts) out += chunk(part);
    return out += chunk("");
  }
  std::string trailer(const std::string& canonical) {
    sign("TRAILER", base::to_hex(base::sha256(canonical)));
    return "x-amz-trailer-signature:" + last_ + "\r\n";
  }

 private:
  void sign(const std::string& name, const std::string& hashes) {
    last_ = example_key()->sign("AWS4-HMAC-SHA256-" + name + "\n" + kTimestamp + "\n" + kScope.text() + "\n" + last_ +
                                "\n" + hashes);
  }
  std::string last_ = kSeed;
};

http::RequestHead example_head(const std::string& payload, const std::string& signed_headers,
                               const std::string& signature) {
  http::RequestHead head{"PUT", "/examplebucket/chunkObject.txt", {}};
  head.headers = {{"Host", "s3.amazonaws.com"},
                  {"x-amz-date", kTimestamp},
                  {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
                  {"x-amz-content-sha256", payload},
                  {"Content-Encoding", "aws-chunked"},
                  {"x-amz-decoded-content-length", "66560"},
                  {"Content-Length", "66824"},
                  {"Authorization", "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/" + kScope.text() +
                                        ",SignedHeaders=" + signed_headers + ",Signature=" + signature}};
  return head;
}

// Amazon's reference: "Transferring Payload in Multiple Chunks", "Example: PUT Object".
TEST(AwsChunked, DecodesAndVerifiesAmazonsExample) {
  const http::RequestHead head =
      example_head("STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                   "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
                   "x-amz-storage-class",
                   kSeed);
  const ClaimResult parsed = parse_claim(head);
  ASSERT_TRUE(parsed) << parsed.message;
  EXPECT_TRUE(verify_without_body(parsed.claim, head, *example_key(), parsed.claim.signed_at, true));
  const auto form = aws_chunked(head, &parsed.claim);
  ASSERT_TRUE(form);
  const std::string body =
      "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
      std::string(65536, 'a') +
      "\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" +
      std::string(1024, 'a') +
      "\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
  ASSERT_EQ(body.size(), 66824u);
  for (std::size_t step : {1u, 7u, 4096u, 66824u}) {
    EXPECT_EQ(decode(*form, body, step).bytes, std::string(66560, 'a')) << "in steps of " << step;
  }
}

// "Including Trailing Headers", "Example: PUT Object".
TEST(AwsChunked, DecodesAndVerifiesAmazonsExampleWithATrailer) {
  http::RequestHead head = example_head(
      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
      "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;"
      "x-amz-trailer",
      "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
  head.headers.add("x-amz-trailer", "x-amz-checksum-crc32c");
  const ClaimResult parsed = parse_claim(head);
  ASSERT_TRUE(parsed) << parsed.message;
  EXPECT_TRUE(verify_without_body(parsed.claim, head, *example_key(), parsed.claim.signed_at, true));
  const auto form = aws_chunked(head, &parsed.claim);
  ASSERT_TRUE(form);
  const std::string body =
      "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n" +
      std::string(65536, 'a') +
      "\r\n400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n" +
      std::string(1024, 'a') +
      "\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
      "x-amz-checksum-crc32c:sOO8/Q==\r\n"
      "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n";
  for (std::size_t step : {1u, 100u, 100'000u}) {
    const Decoded decoded = decode(*form, body, step);
    EXPECT_EQ(decoded.bytes, std::string(66560, 'a'));
    EXPECT_EQ(decoded.trailers.size(), 1u);
    EXPECT_EQ(decoded.trailers.get("x-amz-checksum-crc32c"), "sOO8/Q==");
  }
}

TEST(AwsChunked, DecodesUnsignedChunksAndTheirTrailer) {
  const AwsChunked form = with_crc32(form_of(false, true, 5));
  for (std::string end : {"x-amz-checksum-crc32:NhCmhg==\r\n\r\n", "X-Amz-Checksum-Crc32: NhCmhg== \r\n\r\n",
                          "x-amz-checksum-crc32:NhCmhg==\r\n",                          // the last line may be missing
                          "x-amz-checksum-crc32:NhCmhg==\r\n\r\nbonus: x\r\n\xff\r\n",  // what follows it is ignored
                          "x-amz-checksum-crc32:AAAA\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"}) {
    const Decoded decoded = decode(form, "5\r\nhello\r\n0\r\n" + end, 1);
    EXPECT_EQ(decoded.bytes, "hello");
    EXPECT_EQ(decoded.trailers.get("x-amz-checksum-crc32"), "NhCmhg==") << end;
  }
}

TEST(AwsChunked, AnUnannouncedTrailerMayBeMissing) {
  for (std::string body : {"5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n"}) {
    EXPECT_EQ(decode(form_of(false, true, 5), body).bytes, "hello");
  }
  EXPECT_EQ(decode(form_of(false, true, 0), "0\r\n\r\n").bytes, "");
}

TEST(AwsChunked, IgnoresSpacesAroundAChunksParameter) {
  Signer signer;
  std::string body = signer.chunk("hello");
  body.replace(body.find(";chunk-signature="), 17, " ; chunk-signature = ");
  EXPECT_EQ(decode(form_of(true, false, 5), body + signer.chunk("") + "\r\n").bytes, "hello");
}

TEST(AwsChunked, RejectsAnyChunkWithAnotherSignature) {
  const std::string big(8192, 'x');
  Signer signer;
  const std::string body = signer.chunks({big, "tail"}) + "\r\n";
  const AwsChunked form = form_of(true, false, 8196);
  ASSERT_EQ(decode(form, body).bytes, big + "tail");
  for (std::size_t at = body.find("chunk-signature="); at != body.npos; at = body.find("chunk-signature=", at + 1)) {
    std::string changed = body;
    changed[at + 20] = changed[at + 20] == '0' ? '1' : '0';
    const BodyError error = decode_error(form, changed);
    EXPECT_EQ(error.code(), "SignatureDoesNotMatch");
    EXPECT_EQ(error.status(), 403);
    EXPECT_THAT(error.details(), Contains(Pair("StringToSign", StartsWith("AWS4-HMAC-SHA256-PAYLOAD\n"))));
    EXPECT_THAT(error.details(), Contains(Pair("SignatureProvided", changed.substr(at + 16, 64))));
  }
  for (std::size_t at : {body.find('x') + 100, body.find("tail")}) {
    std::string changed = body;
    changed[at] = '!';
    EXPECT_EQ(decode_error(form, changed).code(), "SignatureDoesNotMatch");
  }
}

TEST(AwsChunked, RejectsReorderedAndMissingChunks) {
  const std::string a(8192, 'a'), b(8192, 'b');
  Signer signer;
  const std::string first = signer.chunk(a), second = signer.chunk(b), last = signer.chunk("") + "\r\n";
  EXPECT_EQ(decode_error(form_of(true, false, 16384), second + first + last).code(), "SignatureDoesNotMatch");
  EXPECT_EQ(decode_error(form_of(true, false, 8192), second + last).code(), "SignatureDoesNotMatch");
  EXPECT_EQ(decode_error(form_of(true, false, 8192), first + last).code(), "SignatureDoesNotMatch");
}

TEST(AwsChunked, VerifiesASignedTrailer) {
  const AwsChunked form = with_crc32(form_of(true, true, 5));
  Signer signer;
  const std::string chunks = signer.chunks({"hello"});
  const std::string line = "x-amz-checksum-crc32:NhCmhg==", signature = signer.trailer(line + "\n");
  EXPECT_EQ(decode(form, chunks + line + "\r\n" + signature + "\r\n").trailers.size(), 1u);
  EXPECT_EQ(decode(form, chunks + line + "\r\n" + signature).trailers.size(), 1u);
  const BodyError changed = decode_error(form, chunks + "x-amz-checksum-crc32:NhCmhQ==\r\n" + signature + "\r\n");
  EXPECT_EQ(changed.code(), "SignatureDoesNotMatch");
  EXPECT_THAT(changed.details(), Contains(Pair("StringToSign", StartsWith("AWS4-HMAC-SHA256-TRAILER\n"))));
  EXPECT_EQ(decode_error(form, chunks + line + "\r\n\r\n").code(), "IncompleteBody");
  EXPECT_EQ(decode_error(form, chunks + "\r\n").code(), "IncompleteBody");
  EXPECT_EQ(decode_error(form, chunks).code(), "IncompleteBody");
  EXPECT_EQ(decode_error(form, chunks + line + "\r\nmore:1\r\n" + signature).code(), "SignatureDoesNotMatch");
}

TEST(AwsChunked, OnlyTheLastChunkMayBeSmall) {
  const BodyError error = decode_error(form_of(false, true, 10), "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n");
  EXPECT_EQ(error.code(), "InvalidChunkSizeError");
  EXPECT_EQ(error.status(), 403);
  EXPECT_STREQ(error.what(), "Only the last chunk is allowed to have a size less than 8192 bytes");
  EXPECT_THAT(error.details(), ElementsAre(Pair("Chunk", "2"), Pair("BadChunkSize", "5")));
}

TEST(AwsChunked, TruncatedAndMalformedBodiesAreIncomplete) {
  const AwsChunked form = form_of(false, true, 5);
  for (std::string body : {"",
                           "5",
                           "5\r\n",
                           "5\r\nhel",
                           "5\r\nhello",
                           "5\r\nhello\r\n",
                           "5\r\nhello\r\n0",
                           "5\r\nhello\r\n0\r\n\r",
                           "5\nhello\n0\n\n",
                           "5\rhello\r0\r\r",
                           "5\r\nhelloworld\r\n0\r\n\r\n",
                           "zz\r\nhello\r\n0\r\n\r\n",
                           "-5\r\nhello\r\n0\r\n\r\n",
                           "+5\r\nhello\r\n0\r\n\r\n",
                           "0x5\r\nhello\r\n0\r\n\r\n",
                           "\r\n5\r\nhello\r\n0\r\n\r\n",
                           "5;chunk-signature=00\r\nhello\r\n0\r\n\r\n",
                           "10000000000000000\r\nhello\r\n0\r\n\r\n",
                           "5\r\nhello\r\n0\r\nno-colon-here\r\n\r\n",
                           "5\r\nhello\r\n0\r\nx-amz-checksum-crc32: NhCmhg==\n\r\n",
                           "hello"}) {
    const BodyError error = decode_error(form, body);
    EXPECT_EQ(error.code(), "IncompleteBody") << body;
    EXPECT_STREQ(error.what(), "The request body terminated unexpectedly") << body;
  }
  EXPECT_EQ(decode_error(form, std::string(100'000, '0')).code(), "IncompleteBody");
}

TEST(AwsChunked, SignedChunksWithoutSignaturesAreIncomplete) {
  const AwsChunked form = form_of(true, false, 5);
  for (std::string body : {"5\r\nhello\r\n0\r\n\r\n", "5;\r\nhello\r\n0;\r\n\r\n", "5;chunk-signature=\r\nhello\r\n",
                           "5;chunk-signature=00;extra=x\r\nhello\r\n", "5;signature=00\r\nhello\r\n"}) {
    EXPECT_EQ(decode_error(form, body).code(), "IncompleteBody") << body;
  }
  EXPECT_EQ(decode_error(form, "5;chunk-signature=invalid\r\nhello\r\n").code(), "SignatureDoesNotMatch");
  Signer signer;
  const std::string chunks = signer.chunks({"hello"});
  EXPECT_EQ(decode_error(form, chunks + "x-amz-checksum-crc32:NhCmhg==\r\n\r\n").code(), "IncompleteBody");
}

TEST(AwsChunked, AWrongLengthIsIncompleteAndReportsBothLengths) {
  for (std::string body : {"4\r\nhell\r\n0\r\n\r\n5\r\nworld\r\n0\r\n\r\n", "4\r\nhell\r\n0\r\n"}) {
    const BodyError error = decode_error(form_of(false, true, 9), body);
    EXPECT_EQ(error.code(), "IncompleteBody");
    EXPECT_THAT(error.details(), ElementsAre(Pair("NumberBytesExpected", "9"), Pair("NumberBytesProvided", "4")));
  }
  const BodyError more = decode_error(form_of(false, true, 5), "a\r\nhellohello\r\n0\r\n\r\n");
  EXPECT_STREQ(more.what(), "You did not provide the number of bytes specified by the Content-Length HTTP header");
  EXPECT_THAT(more.details(), ElementsAre(Pair("NumberBytesExpected", "5"), Pair("NumberBytesProvided", "10")));
}

TEST(AwsChunked, TrailersMustBeTheAnnouncedOnes) {
  const std::string chunks = "5\r\nhello\r\n0\r\n";
  const AwsChunked announced = with_crc32(form_of(false, true, 5));
  EXPECT_EQ(decode_error(announced, chunks + "\r\n").code(), "MalformedTrailerError");
  EXPECT_EQ(decode_error(announced, chunks + "\r\nx-amz-checksum-crc32:NhCmhg==\r\n").code(), "MalformedTrailerError");
  EXPECT_EQ(decode_error(announced, chunks + "x-amz-checksum-sha1:AAAA\r\n\r\n").code(), "MalformedTrailerError");
  EXPECT_EQ(decode_error(announced, chunks + "x-amz-checksum-crc32:AAAA\r\nbonus:x\r\n\r\n").code(),
            "MalformedTrailerError");
  EXPECT_EQ(decode_error(form_of(false, true, 5), chunks + "x-amz-checksum-crc32:AAAA\r\n\r\n").code(),
            "MalformedTrailerError");
}

TEST(AwsChunked, TrailersAreBounded) {
  const AwsChunked form = with_crc32(form_of(false, true, 5));
  std::string many = "5\r\nhello\r\n0\r\n";
  EXPECT_EQ(decode_error(form, many + "x-amz-checksum-crc32:" + std::string(100'000, 'x')).code(),
            "MalformedTrailerError");
  for (int i = 0; i < 10'000; ++i) many += "x-amz-checksum-crc32:AAAA\r\n";
  EXPECT_EQ(decode_error(form, many).code(), "MalformedTrailerError");
}

std::string head_error(base::Headers headers, const Claim* claim) {
  http::RequestHead head{"PUT", "/b/k", std::move(headers)};
  try {
    return aws_chunked(head, claim) ? "chunks" : "no chunks";
  } catch (const BodyError& error) {
    return error.code();
  }
}

Claim claim_of(const std::string& payload_hash, bool presigned = false) {
  Claim claim;
  claim.payload_hash = payload_hash;
  claim.presigned = presigned;
  return claim;
}

TEST(AwsChunkedHead, TheHashHeaderAnnouncesChunks) {
  const base::Headers length = {{"x-amz-decoded-content-length", "5"}};
  for (const char* payload : {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                              "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}) {
    const Claim claim = claim_of(payload), presigned = claim_of(payload, true);
    EXPECT_EQ(head_error(length, &claim), "chunks");
    EXPECT_EQ(head_error({}, &claim), "MissingContentLength");
    EXPECT_EQ(head_error({{"x-amz-decoded-content-length", "5x"}}, &claim), "InvalidArgument");
    EXPECT_EQ(head_error(length, &presigned), "XAmzContentSHA256Mismatch");
  }
  for (const std::string& payload : {std::string("UNSIGNED-PAYLOAD"), base::to_hex(base::sha256("x"))}) {
    const Claim claim = claim_of(payload);
    EXPECT_EQ(head_error(length, &claim), "no chunks");
  }
  for (const char* payload : {"STREAMING-UNSIGNED-PAYLOAD", "STREAMING-UNKNOWN", "unsigned-payload", "abc"}) {
    const Claim claim = claim_of(payload);
    EXPECT_EQ(head_error(length, &claim), "InvalidArgument") << payload;
  }
  for (const char* payload :
       {"STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"}) {
    const Claim claim = claim_of(payload);
    EXPECT_EQ(head_error(length, &claim), "NotImplemented");
  }
}

TEST(AwsChunkedHead, AnAnonymousClientMaySendUnsignedChunks) {
  const base::Headers::Line length = {"x-amz-decoded-content-length", "5"};
  EXPECT_EQ(head_error({length}, nullptr), "chunks");
  EXPECT_EQ(head_error({length, {"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}}, nullptr), "chunks");
  EXPECT_EQ(head_error({length, {"x-amz-content-sha256", "UNSIGNED-PAYLOAD"}}, nullptr), "no chunks");
  EXPECT_EQ(head_error({length, {"x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"}}, nullptr),
            "InvalidArgument");
  EXPECT_EQ(head_error({}, nullptr), "no chunks");
}

TEST(AwsChunkedHead, AcceptsOneAnnouncedChecksum) {
  const Claim claim = claim_of("STREAMING-UNSIGNED-PAYLOAD-TRAILER"), plain = claim_of("UNSIGNED-PAYLOAD");
  auto with = [&](const char* trailers) {
    return head_error({{"x-amz-decoded-content-length", "5"}, {"x-amz-trailer", trailers}}, &claim);
  };
  for (const char* list :
       {"x-amz-checksum-crc32", "X-Amz-Checksum-CRC32", "x-amz-checksum-crc64nvme,", "x-amz-checksum-sha1,,"}) {
    EXPECT_EQ(with(list), "chunks") << list;
  }
  for (const char* list : {"", "x-amz-checksum-bad", "foo", "content-md5", ",x-amz-checksum-crc32",
                           "x-amz-checksum-crc32, ,", "x-amz-checksum-crc32, x-amz-checksum-sha256"}) {
    EXPECT_EQ(with(list), "InvalidRequest") << list;
  }
  EXPECT_EQ(head_error({{"x-amz-trailer", "x-amz-checksum-crc32"}}, &plain), "MalformedTrailerError");
}

}  // namespace
}  // namespace signing
