// SPDX-License-Identifier: Apache-2.0
// Operations on a bucket's Object Lock.
#pragma once

#include "services/call.h"
#include "services/s3/shape.h"
#include "shapes/s3/object_lock.h"

namespace services::s3 {

shape::GetObjectLockConfigurationOutput get_object_lock_configuration(
    Call& call, const shape::GetObjectLockConfigurationRequest& request);
shape::PutObjectLockConfigurationOutput put_object_lock_configuration(
    Call& call, const shape::PutObjectLockConfigurationRequest& request);

}  // namespace services::s3
