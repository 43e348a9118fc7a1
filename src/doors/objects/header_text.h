// SPDX-License-Identifier: Apache-2.0
// Headers whose text is not what their handlers may take it for.
#pragma once

#include "base/headers.h"

namespace doors::objects {

// If-Modified-Since and If-Unmodified-Since that are no dates are as if they were not there (RFC 9110 13.1.3).
base::Headers without_false_dates(const base::Headers& headers);

// User metadata in UTF-8. In headers its bytes are Latin-1 to S3, whatever the client meant by them: "ö" sent as
// UTF-8 was seen to come back as "Ã¶". Only what stands elsewhere, in forms and URLs, is UTF-8.
base::Headers with_unicode_metadata(const base::Headers& headers);

}  // namespace doors::objects
