// SPDX-License-Identifier: Apache-2.0
// Results of StokerExplain as text.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/cluster_client.h"
#include "shapes/stoker/explain.h"

namespace cli {

shapes::stoker::StokerExplainResponse explain_definition(ClusterClient& client, const std::string& definition);

// Prints the sentences, then a table of machines if there are any.
void print_explanation(std::ostream& out, const shapes::stoker::StokerExplainResponse& explanation);

}  // namespace cli
