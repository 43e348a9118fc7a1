// SPDX-License-Identifier: Apache-2.0
// An unsigned request must never verify, and canonical forms must be stable.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "signing/sigv4.h"
#include "signing/sigv4_canonical.h"
#include "signing/sigv4_s3.h"

namespace {

std::string take_line(std::string& rest) {
  std::size_t end = rest.find('\n');
  std::string line = rest.substr(0, end);
  rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
  return line;
}

void check_form(std::string rest) {
  base::Headers fields;
  for (const char* name : {"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature", "policy"}) {
    fields.add(name, take_line(rest));
  }
  try {
    const auto claim = signing::parse_form_claim(fields);
    if (!claim) return;
    signing::verify_form(*claim, fields, signing::SigningKey("a secret that no input can know", claim->scope()));
    CHECK(false) << "a forged form passed";
  } catch (const signing::BodyError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string rest(reinterpret_cast<const char*>(data), size);
  check_form(rest);
  http::RequestHead head;
  head.method = take_line(rest);
  head.target = take_line(rest);
  head.headers.add("Host", take_line(rest));
  head.headers.add("X-Amz-Date", take_line(rest));
  head.headers.add("Authorization", take_line(rest));
  if (!rest.empty()) head.headers.add(take_line(rest), take_line(rest));

  std::string query = signing::canonical_query(head.query(), false);
  CHECK(signing::canonical_query(query, false) == query) << "a canonical query is not its own canonical form";
  std::string path = signing::canonical_path(head.path(), true);
  CHECK(signing::canonical_path(path, true) == path) << "a canonical path is not its own canonical form";

  for (int i = 0; i < 2; ++i) {
    signing::ClaimResult parsed = signing::parse_claim(head);
    if (parsed) {
      signing::SigningKey key("a secret that no input can know", parsed.claim.scope());
      std::string hash = base::to_hex(base::sha256(rest));
      CHECK(!signing::verify(parsed.claim, head, hash, key, parsed.claim.signed_at, i == 1))
          << "a forged signature passed";
    } else {
      (void)signing::s3_claim_error(head, parsed);
    }
    head.headers = {{"Host", "h"}};  // then with the query alone
  }
  return 0;
}
