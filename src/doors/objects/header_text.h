// SPDX-License-Identifier: Apache-2.0
// Headers whose text must be changed before handlers see it.
#pragma once

#include "base/headers.h"

namespace doors::objects {

// Drops If-Modified-Since and If-Unmodified-Since with invalid dates (RFC 9110 13.1.3).
base::Headers without_invalid_dates(const base::Headers& headers);

// Converts user metadata to UTF-8. S3 reads header bytes as Latin-1, whatever the client means: "ö" sent as UTF-8
// comes back as "Ã¶". In forms and URLs it is UTF-8.
base::Headers with_unicode_metadata(const base::Headers& headers);

}  // namespace doors::objects
