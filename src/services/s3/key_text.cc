// SPDX-License-Identifier: Apache-2.0
#include "services/s3/key_text.h"

#include "base/bytes.h"

namespace services::s3 {

std::string url_encoded(std::string_view key) {
  std::string out;
  std::size_t start = 0;
  for (std::size_t space = key.find(' '); space != key.npos; space = key.find(' ', start)) {
    out += base::percent_encode(key.substr(start, space - start), true) + "+";
    start = space + 1;
  }
  return out + base::percent_encode(key.substr(start), true);
}

}  // namespace services::s3
