// SPDX-License-Identifier: Apache-2.0
// Operations on services, their deployments and revisions.
#pragma once

#include "services/call.h"
#include "shapes/ecs/service.h"
#include "shapes/ecs/service_deployment.h"
#include "shapes/ecs/service_list.h"
#include "shapes/ecs/service_revision.h"

namespace services::ecs {

using namespace shapes::ecs;

CreateServiceResponse create_service(Call& call, const CreateServiceRequest& request);
UpdateServiceResponse update_service(Call& call, const UpdateServiceRequest& request);
DeleteServiceResponse delete_service(Call& call, const DeleteServiceRequest& request);
DescribeServicesResponse describe_services(Call& call, const DescribeServicesRequest& request);
ListServicesResponse list_services(Call& call, const ListServicesRequest& request);

ListServiceDeploymentsResponse list_service_deployments(Call& call, const ListServiceDeploymentsRequest& request);
DescribeServiceDeploymentsResponse describe_service_deployments(Call& call,
                                                                const DescribeServiceDeploymentsRequest& request);
StopServiceDeploymentResponse stop_service_deployment(Call& call, const StopServiceDeploymentRequest& request);
DescribeServiceRevisionsResponse describe_service_revisions(Call& call, const DescribeServiceRevisionsRequest& request);

}  // namespace services::ecs
