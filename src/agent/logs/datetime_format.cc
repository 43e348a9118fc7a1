// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/datetime_format.h"

namespace agent::logs {
namespace {

std::string_view pattern_of(char conversion) {
  switch (conversion) {
    case 'a': return "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    case 'A': return "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
    case 'w': return "[0-6]";
    case 'd': return "(?:0[1-9]|[12][0-9]|3[01])";
    case 'b': return "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
    case 'B':
      return "(?:January|February|March|April|May|June|July|August|September|October|November|December)";
    case 'm': return "(?:0[1-9]|1[0-2])";
    case 'Y': return "[0-9]{4}";
    case 'y': return "[0-9]{2}";
    case 'H': return "(?:[01][0-9]|2[0-3])";
    case 'I': return "(?:0[1-9]|1[0-2])";
    case 'p': return "[AP]M";
    case 'M': return "[0-5][0-9]";
    case 'S': return "[0-5][0-9]";
    case 'f': return "[0-9]{6}";
    case 'z': return "[+-][0-9]{4}";
    case 'Z': return "[A-Z]{1,4}T";
    case 'j': return "(?:00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6])";
    case 'L': return "\\.[0-9]{3}";
    default: return "";
  }
}

}  // namespace

std::string datetime_pattern(std::string_view format) {
  std::string pattern;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      pattern += format[i];
    } else {
      pattern += pattern_of(format[++i]);
    }
  }
  return pattern;
}

}  // namespace agent::logs
