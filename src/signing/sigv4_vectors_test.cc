// SPDX-License-Identifier: Apache-2.0
// Amazon's published SigV4 test suite, if its folder is present.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/example_key.h"
#include "signing/sigv4.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

namespace fs = std::filesystem;

fs::path vectors_folder() {
  if (const char* given = std::getenv("STOKER_PROTOCOL_VECTORS")) return fs::path(given) / "sigv4";
  return fs::path(STOKER_SOURCE_DIR) / "../shared/protocol-vectors/sigv4";
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string out = text.str();
  std::erase(out, '\r');
  return out;
}

// The cases are not strict HTTP: line feeds only, folded headers, spaces in paths.
http::Request parse_loosely(const std::string& text) {
  http::Request request;
  std::size_t head_end = text.find("\n\n");
  if (head_end != std::string::npos) request.body = text.substr(head_end + 2);
  std::istringstream lines(text.substr(0, head_end));
  std::string line;
  std::getline(lines, line);
  std::size_t first = line.find(' '), last = line.rfind(' ');
  request.head.method = line.substr(0, first);
  request.head.target = line.substr(first + 1, last - first - 1);
  std::vector<base::Headers::Line> headers;
  while (std::getline(lines, line)) {
    if (line.starts_with(' ')) {
      headers.back().second += " " + line;
      continue;
    }
    std::size_t colon = line.find(':');
    headers.emplace_back(line.substr(0, colon), line.substr(colon + 1));
  }
  for (auto& [name, value] : headers) request.head.headers.add(name, value);
  return request;
}

// One case adds its token only in the canonical form.
std::string token_in(const std::string& canonical) {
  std::size_t at = canonical.find("\nx-amz-security-token:");
  if (at == std::string::npos) return "";
  at += 22;
  return canonical.substr(at, canonical.find('\n', at) - at);
}

void check_case(const fs::path& stem) {
  SCOPED_TRACE(stem.filename().string());
  auto part = [&](const char* extension) { return read(fs::path(stem) += extension); };
  http::Request request = parse_loosely(part(".req"));
  Credentials credentials{"AKIDEXAMPLE", kTestSuiteSecret, token_in(part(".creq"))};
  base::Time now = *parse_iso_basic("20150830T123600Z");
  sign(request, credentials, "us-east-1", "service", now);
  EXPECT_EQ(request.head.headers.get("Authorization"), part(".authz"));

  ClaimResult parsed = parse_claim(request.head);
  ASSERT_TRUE(parsed) << parsed.message;
  std::string body_hash = base::to_hex(base::sha256(request.body));
  std::string canonical = canonical_request(request.head, parsed.claim.signed_headers, body_hash, {});
  EXPECT_EQ(canonical, part(".creq"));
  EXPECT_EQ(string_to_sign(parsed.claim.timestamp, parsed.claim.scope().text(), canonical), part(".sts"));
  SigningKey key(kTestSuiteSecret, parsed.claim.scope());
  AuthResult result = verify(parsed.claim, request.head, body_hash, key, now, false);
  EXPECT_TRUE(result) << result.message;
}

TEST(SigV4Vectors, SignsAndVerifiesEachPublishedCase) {
  fs::path folder = vectors_folder();
  if (!fs::exists(folder)) {
    std::cout << "no vectors at " << folder << "; set STOKER_PROTOCOL_VECTORS\n";
    return;
  }
  int cases = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".req") continue;
    check_case(fs::path(entry.path()).replace_extension());
    ++cases;
  }
  EXPECT_GT(cases, 0) << "no case in " << folder;
}

}  // namespace
}  // namespace signing
