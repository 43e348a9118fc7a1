// SPDX-License-Identifier: Apache-2.0
// Short forms of ids and times for people, and look-up of ids by prefix.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace cli {

// The text after the last slash of an ARN.
std::string id_of(std::string_view arn);
// The first 12 characters of the id, like `docker ps`.
std::string short_id(std::string_view arn);
// The first 8 characters of a machine's id.
std::string machine_id(std::string_view arn);
// Shortens every task id in a text.
std::string with_short_ids(const std::string& text);
// "GPU-1a2b3c4d"
std::string short_gpu(std::string_view id);
// "train:3"
std::string family_and_revision(std::string_view task_definition_arn);

// The service that a task's group names: "web" of "service:web"; "" for another group.
std::string service_of(std::string_view group);

// "5 min": the largest unit only, for a column.
std::string brief_duration(base::Duration duration);

// The id that equals `text`, or the only one that begins with it. Fails when there is none or more
// than one; `kind` is the noun for the error.
base::Result<std::string> match_id(const std::vector<std::string>& ids, const std::string& text,
                                   const std::string& kind);

}  // namespace cli
