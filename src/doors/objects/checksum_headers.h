// SPDX-License-Identifier: Apache-2.0
// What a REST request's head says of checksums, before any of its body is there.
#pragma once

#include "base/headers.h"

namespace doors::objects {

// Throws InvalidRequest where it names several checksums, none that there is, or another than it announces.
void check_checksum_headers(const base::Headers& headers);

// For operations that S3 does not take from a body that nobody vouches for; its signature is not enough.
// Throws InvalidRequest where there is no Content-MD5 and no checksum, which may also follow the body.
void require_digest(const base::Headers& headers);

}  // namespace doors::objects
