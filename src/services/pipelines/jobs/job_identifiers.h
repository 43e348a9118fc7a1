// SPDX-License-Identifier: Apache-2.0
// What clients say of a job, checked. Errors are of the code ValidationException.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace services::pipelines {

inline constexpr std::size_t kMaxJobId = 64;
inline constexpr std::size_t kMaxMetadataEntries = 50;
inline constexpr std::size_t kMaxMetadataBytes = 2048;  // names and values
inline constexpr std::size_t kMaxFileName = 200;        // in bytes
inline constexpr std::int64_t kMaxJobPriority = 9;

using JobMetadata = std::map<std::string, std::string>;

// 20 letters and digits.
std::string new_job_id();
// [A-Za-z0-9._-]{1,64}, but neither "." nor "..".
bool is_job_id(std::string_view id);
void check_job_id(std::string_view id);
// The id that an Idempotency-Key stands for: itself, or where it is no id, one that is derived from it.
std::string id_of_idempotency_key(std::string_view key);

std::int64_t parse_priority(std::string_view text);
// A JSON object of strings.
JobMetadata parse_metadata(std::string_view json);
void check_metadata(const JobMetadata& metadata);
std::string metadata_json(const JobMetadata& metadata);
// `private_networks`: targets on this machine and in private networks are allowed.
void check_webhook_url(const std::string& url, bool private_networks);

// A name that is safe at the end of a key: without folders, control characters, invalid UTF-8 and leading dots; "" where
// nothing is left.
std::string safe_file_name(std::string_view name);
// The name of an input that came without one.
std::string default_file_name(std::string_view content_type);
// The filename of a Content-Disposition; RFC 6266's filename* wins.
std::optional<std::string> disposition_file_name(std::string_view header);

}  // namespace services::pipelines
