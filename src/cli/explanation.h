// SPDX-License-Identifier: Apache-2.0
// What StokerExplain answers, for a person.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/cluster_client.h"
#include "shapes/stoker/explain.h"

namespace cli {

shapes::stoker::StokerExplainResponse explain_definition(ClusterClient& client, const std::string& definition);

// Its sentences, then a table of machines where there are any.
void print_explanation(std::ostream& out, const shapes::stoker::StokerExplainResponse& explanation);

}  // namespace cli
