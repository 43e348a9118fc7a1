// SPDX-License-Identifier: Apache-2.0
// Operations on an object's access control list.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/bucket_access.h"

namespace services::s3 {

shape::GetObjectAclOutput get_object_acl(Call& call, const shape::GetObjectAclRequest& request);
shape::PutObjectAclOutput put_object_acl(Call& call, const shape::PutObjectAclRequest& request);

}  // namespace services::s3
