// SPDX-License-Identifier: Apache-2.0
// Amazon's structs are written shape::Bucket here: Bucket, Object, Headers and others are also names of ours.
#pragma once

namespace shapes::s3 {}

namespace services::s3 {

namespace shape = shapes::s3;

}  // namespace services::s3
