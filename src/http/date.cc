// SPDX-License-Identifier: Apache-2.0
#include "http/date.h"

#include "base/date_text.h"

namespace http {

std::string_view current_date() {
  thread_local std::int64_t second = -1;
  thread_local std::string text;
  const base::Time now = base::SystemClock().now();
  if (base::to_seconds(now) != second) {
    second = base::to_seconds(now);
    text = base::to_date_text(now);
  }
  return text;
}

}  // namespace http
