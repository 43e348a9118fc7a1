// SPDX-License-Identifier: Apache-2.0
// What /stoker/scrub tells, a line of JSON each. Spoken by the `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace shapes::stoker {

// Bytes that are not what was once uploaded; or a file that nobody has.
struct ScrubFinding {
  std::string problem;  // MISSING, SHORT, LONG, DAMAGED, UNREADABLE, UNNAMED
  std::string detail;
  std::optional<std::string> bucket, key, versionId;
  std::optional<std::string> uploadId;  // of one that is not complete
  std::optional<std::int64_t> part;
  std::optional<std::string> file;
};
BOOST_DESCRIBE_STRUCT(ScrubFinding, (), (problem, detail, bucket, key, versionId, uploadId, part, file))

struct ScrubCounts {
  std::int64_t checked = 0;  // objects and parts
  std::int64_t bytes = 0;
  std::int64_t bad = 0;
  std::int64_t unnamed = 0;
};
BOOST_DESCRIBE_STRUCT(ScrubCounts, (), (checked, bytes, bad, unnamed))

// One of these. The last line has `done`: without it the scrub was cut short.
struct ScrubLine {
  std::optional<ScrubFinding> finding;
  std::optional<ScrubCounts> progress;
  std::optional<ScrubCounts> done;
};
BOOST_DESCRIBE_STRUCT(ScrubLine, (), (finding, progress, done))

}  // namespace shapes::stoker
