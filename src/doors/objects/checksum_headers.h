// SPDX-License-Identifier: Apache-2.0
// What a REST request's head says of checksums, before any of its body is there.
#pragma once

#include <optional>
#include <string_view>

#include "base/checksum.h"
#include "base/headers.h"

namespace doors::objects {

// Throws InvalidRequest where it names several checksums, none that there is, or another than it announces.
void check_checksum_headers(const base::Headers& headers);

// For operations that S3 does not take from a body that nobody vouches for; its signature is not enough.
// Throws InvalidRequest where there is no Content-MD5 and no checksum, which may also follow the body.
void require_digest(const base::Headers& headers);

// The checksum that a name in x-amz-trailer announces; nullopt where Stoker does not support it, or it is none.
std::optional<base::Checksum> announced_checksum(std::string_view trailer);

// Throws where the headers, or trailers, of a body state another digest than it has: Content-MD5, and where `checksums`
// is set, x-amz-checksum-*.
void check_digests(const base::Headers& headers, bool checksums, std::string_view body);

}  // namespace doors::objects
