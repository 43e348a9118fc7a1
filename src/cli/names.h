// SPDX-License-Identifier: Apache-2.0
// Ids and times as people read and write them: short, and by how they begin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace cli {

// What comes after the last slash of an ARN.
std::string id_of(std::string_view arn);
// Its first 12 characters: `docker ps` shows as many.
std::string short_id(std::string_view arn);
// The same of every task's id in a text.
std::string with_short_ids(const std::string& text);
// "GPU-1a2b3c4d"
std::string short_gpu(std::string_view id);
// "train:3"
std::string family_and_revision(std::string_view task_definition_arn);

// "5 min": the largest unit alone, for a column.
std::string brief_duration(base::Duration duration);

// The only one of `ids` that is `text` or begins with it. An error for none and for several; `kind`
// is the word for what they are.
base::Result<std::string> match_id(const std::vector<std::string>& ids, const std::string& text,
                                   const std::string& kind);

}  // namespace cli
