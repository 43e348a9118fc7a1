// SPDX-License-Identifier: Apache-2.0
// Operations on capacity providers.
#pragma once

#include "services/call.h"
#include "shapes/ecs/capacity_provider.h"

namespace services::ecs {

using namespace shapes::ecs;

CreateCapacityProviderResponse create_capacity_provider(Call& call, const CreateCapacityProviderRequest& request);
UpdateCapacityProviderResponse update_capacity_provider(Call& call, const UpdateCapacityProviderRequest& request);
DeleteCapacityProviderResponse delete_capacity_provider(Call& call, const DeleteCapacityProviderRequest& request);
DescribeCapacityProvidersResponse describe_capacity_providers(Call& call,
                                                              const DescribeCapacityProvidersRequest& request);

}  // namespace services::ecs
