// SPDX-License-Identifier: Apache-2.0
// stoker scrub
#include "shapes/stoker/scrub.h"

#include <ostream>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/line_stream.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/names.h"

namespace cli {
namespace {

using shapes::stoker::ScrubCounts;
using shapes::stoker::ScrubFinding;
using shapes::stoker::ScrubLine;

std::vector<std::string> finding_row(const ScrubFinding& finding) {
  const std::string part = finding.part ? std::to_string(*finding.part) : "";
  return {finding.problem,
          finding.bucket.value_or(""),
          finding.key.value_or(finding.file.value_or("")),
          finding.versionId.value_or(finding.uploadId ? "upload " + *finding.uploadId : ""),
          part,
          finding.detail};
}

void print_counts(std::ostream& out, const ScrubCounts& counts) {
  out << "objects and parts read: " << counts.checked << ", of " << counts.bytes << " bytes: "
      << (counts.bad ? std::to_string(counts.bad) + " are not what was uploaded" : "all are what was uploaded");
  if (counts.unnamed) out << "; " << counts.unnamed << " files belong to no object";
  out << '\n';
}

}  // namespace

int scrub(const Options& options, std::ostream& out) {
  const LineRequest request{"/stoker/scrub", shapes::stoker::kService, "stoker", "the scrub"};
  std::vector<std::vector<std::string>> rows{{"PROBLEM", "BUCKET", "KEY", "VERSION", "PART", "DETAIL"}};
  std::optional<ScrubCounts> done;
  read_lines(read_profile(options), request, [&](std::string_view text) {
    ScrubLine line;
    wire::read_json(wire::type_of<ScrubLine>(), text, &line);
    if (line.done) done = line.done;
    if (options.json && (line.finding || line.done)) print_json(out, line);
    if (line.finding) rows.push_back(finding_row(*line.finding));
    return out.good();
  });
  if (!done) throw std::runtime_error("the scrub ended early");
  if (!options.json) {
    if (rows.size() > 1) print_table(out, rows);
    print_counts(out, *done);
  }
  return done->bad > 0 ? 1 : 0;
}

}  // namespace cli
