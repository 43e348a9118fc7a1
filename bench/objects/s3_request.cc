// SPDX-License-Identifier: Apache-2.0
#include "objects/s3_request.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/hash.h"

namespace bench {
namespace {

const Body& empty_body() {
  static const Body empty{""};
  return empty;
}

std::string crc32(std::string_view bytes) {
  base::Hasher hasher(base::Checksum::Crc32);
  hasher.update(bytes);
  return hasher.finish();
}

void append_line(std::string& out, std::string_view name, std::string_view separator, std::string_view value,
                 std::string_view end) {
  if (!name.empty()) out.append(name).append(separator).append(value).append(end);
}

}  // namespace

Body::Body(std::string content)
    : bytes(std::move(content)),
      sha256_hex(base::to_hex(base::sha256(bytes))),
      crc32_base64(base::to_base64(crc32(bytes))) {}

S3Requests::S3Requests(const Endpoint& endpoint, std::string bucket)
    : port_(endpoint.port), host_(endpoint.host()), bucket_(std::move(bucket)), signer_(endpoint, "s3") {}

void S3Requests::append_put(std::string_view key, const Body& body, bool expect_continue, std::string& out) {
  const Extra extra = {"x-amz-checksum-crc32", body.crc32_base64, "x-amz-sdk-checksum-algorithm", "CRC32",
                       "host;x-amz-checksum-crc32;x-amz-content-sha256;x-amz-date;x-amz-sdk-checksum-algorithm"};
  const S3Question question = {.method = "PUT", .key = key, .query = "", .body = &body};
  append_signed(question, extra, expect_continue ? "Expect: 100-continue\r\n" : "", out);
}

void S3Requests::append_get(std::string_view key, std::string& out) {
  const Extra extra = {"x-amz-checksum-mode", "ENABLED", "", "",
                       "host;x-amz-checksum-mode;x-amz-content-sha256;x-amz-date"};
  append_signed({.method = "GET", .key = key, .query = "", .body = nullptr}, extra, "", out);
}

void S3Requests::append(const S3Question& question, std::string& out) {
  const Extra none = {"", "", "", "", "host;x-amz-content-sha256;x-amz-date"};
  append_signed(question, none, "", out);
}

void S3Requests::append_signed(const S3Question& question, const Extra& extra, std::string_view unsigned_headers,
                               std::string& out) {
  signer_.renew();
  const Body& body = question.body ? *question.body : empty_body();
  std::string path = "/" + bucket_;
  if (!question.key.empty()) path.append("/").append(question.key);

  canonical_.assign(question.method).append("\n").append(path).append("\n").append(question.query).append("\n");
  append_line(canonical_, "host", ":", host_, "\n");
  append_line(canonical_, extra.before, ":", extra.before_value, "\n");
  append_line(canonical_, "x-amz-content-sha256", ":", body.sha256_hex, "\n");
  append_line(canonical_, "x-amz-date", ":", signer_.timestamp(), "\n");
  append_line(canonical_, extra.after, ":", extra.after_value, "\n");
  canonical_.append("\n").append(extra.signed_headers).append("\n").append(body.sha256_hex);

  out.append(question.method).append(" ").append(path);
  if (!question.query.empty()) out.append("?").append(question.query);
  out.append(" HTTP/1.1\r\nHost: ").append(host_).append("\r\nAccept-Encoding: identity\r\nUser-Agent: ");
  out.append(kUserAgent).append("\r\n").append(unsigned_headers);
  append_line(out, extra.before, ": ", extra.before_value, "\r\n");
  append_line(out, extra.after, ": ", extra.after_value, "\r\n");
  append_line(out, "X-Amz-Date", ": ", signer_.timestamp(), "\r\n");
  append_line(out, "X-Amz-Content-SHA256", ": ", body.sha256_hex, "\r\n");
  out.append("Authorization: ").append(signer_.authorization(extra.signed_headers)).append(signer_.sign(canonical_));
  out.append("\r\n").append(kSdkHeaders);
  if (question.body) append_line(out, "Content-Length", ": ", std::to_string(body.bytes.size()), "\r\n");
  out.append("\r\n");
}

}  // namespace bench
