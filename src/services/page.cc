// SPDX-License-Identifier: Apache-2.0
#include "services/page.h"

#include "base/bytes.h"
#include "base/utf8.h"

namespace services {

Page read_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token,
               const PageRules& rules) {
  if (size && (*size < 1 || *size > rules.most)) throw rules.invalid_size(*size);
  Page page{.size = size.value_or(rules.most)};
  if (!token || token->empty()) return page;
  const auto after = base::from_base64(*token);
  // A database does not compare other bytes with text.
  const bool is_text = after && base::is_utf8(*after) && after->find('\0') == after->npos;
  if (!is_text || after->empty()) throw rules.invalid_token(*token);
  page.after = *after;
  return page;
}

std::optional<std::string> cut_page(std::vector<std::string>& keys, const Page& page) {
  if (keys.size() <= static_cast<std::size_t>(page.size)) return std::nullopt;
  keys.resize(static_cast<std::size_t>(page.size));
  return base::to_base64(keys.back());
}

}  // namespace services
