# SPDX-License-Identifier: Apache-2.0
"""Services as declarations: their operations, rules and errors. Clusters here have no machines, so no task runs."""
import datetime

import pytest

from support.queues import refused, unique_name

SOON = {"Delay": 1, "MaxAttempts": 300}


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()["clusterName"]


@pytest.fixture
def make_service(ecs, cluster, register):
    """make_service(members) -> the service; INACTIVE when the test ends, so that its cluster can be deleted."""
    made = []

    def make(name=None, **more):
        name = name or unique_name()
        if "taskDefinition" not in more:
            more["taskDefinition"] = register()["taskDefinitionArn"]
        if more.get("schedulingStrategy") != "DAEMON":
            more.setdefault("desiredCount", 1)
        service = ecs.create_service(cluster=cluster, serviceName=name, **more)["service"]
        made.append(name)
        return service

    yield make
    for name in made:
        ecs.delete_service(cluster=cluster, service=name, force=True)
        ecs.get_waiter("services_inactive").wait(cluster=cluster, services=[name], WaiterConfig=SOON)


def describe(ecs, cluster, service, **more):
    answer = ecs.describe_services(cluster=cluster, services=[service["serviceName"]], **more)
    assert answer["failures"] == []
    return answer["services"][0]


def newer(client, operation):
    if not hasattr(client, operation):
        pytest.skip("this client does not have " + operation)


def test_a_service_is_created_and_described(ecs, cluster, make_service, account):
    made = make_service(tags=[{"key": "team", "value": "vision"}], launchType="EC2", healthCheckGracePeriodSeconds=5)
    arn = f"arn:aws:ecs:us-east-1:{account}:service/{cluster}/{made['serviceName']}"
    assert made["serviceArn"] == arn
    assert (made["status"], made["desiredCount"], made["runningCount"], made["pendingCount"]) == ("ACTIVE", 1, 0, 0)
    assert (made["launchType"], made["schedulingStrategy"], made["propagateTags"]) == ("EC2", "REPLICA", "NONE")
    assert made["loadBalancers"] == made["serviceRegistries"] == made["placementConstraints"] == []
    configuration = made["deploymentConfiguration"]
    assert (configuration["minimumHealthyPercent"], configuration["maximumPercent"]) == (100, 200)
    assert configuration["deploymentCircuitBreaker"] == {"enable": False, "rollback": False}
    (deployment,) = made["deployments"]
    assert deployment["id"].startswith("ecs-svc/") and len(deployment["id"]) == 27
    assert (deployment["status"], deployment["desiredCount"], deployment["failedTasks"]) == ("PRIMARY", 1, 0)
    assert deployment["rolloutState"] == "IN_PROGRESS"
    assert deployment["rolloutStateReason"] == f"ECS deployment {deployment['id']} in progress."
    assert deployment["taskDefinition"] == made["taskDefinition"]

    shown = describe(ecs, cluster, made, include=["TAGS"])
    assert shown["tags"] == [{"key": "team", "value": "vision"}]
    assert shown["deployments"][0]["id"] == deployment["id"]
    assert shown["healthCheckGracePeriodSeconds"] == 5
    assert "tags" not in describe(ecs, cluster, made)
    by_arn = ecs.describe_services(cluster=cluster, services=[arn, "none"])
    assert [one["serviceArn"] for one in by_arn["services"]] == [arn]
    with refused("InvalidParameterException", "service names can have at most 10 items."):
        ecs.describe_services(cluster=cluster, services=[arn] * 11)
    missing = arn.rsplit("/", 1)[0] + "/none"
    assert [(one["arn"], one["reason"]) for one in by_arn["failures"]] == [(missing, "MISSING")]


def test_the_same_request_again_returns_the_service(ecs, cluster, make_service, register):
    definition = register()["taskDefinitionArn"]
    first = make_service(taskDefinition=definition)
    again = ecs.create_service(cluster=cluster, serviceName=first["serviceName"], taskDefinition=definition,
                               desiredCount=1)["service"]
    assert again["deployments"][0]["id"] == first["deployments"][0]["id"]
    with refused("InvalidParameterException", "Creation of service was not idempotent."):
        ecs.create_service(cluster=cluster, serviceName=first["serviceName"], taskDefinition=definition, desiredCount=2)


def test_an_update_makes_a_deployment_only_where_it_has_to(ecs, cluster, make_service, register):
    family = unique_name()
    first = make_service(taskDefinition=register(family=family)["taskDefinitionArn"])
    name = first["serviceName"]

    def update(**members):
        return ecs.update_service(cluster=cluster, service=name, **members)["service"]

    scaled = update(desiredCount=3)
    assert (scaled["desiredCount"], scaled["deployments"][0]["desiredCount"]) == (3, 3)
    assert scaled["deployments"][0]["id"] == first["deployments"][0]["id"]
    breaker = {"deploymentCircuitBreaker": {"enable": True, "rollback": True}}
    configured = update(deploymentConfiguration=breaker, placementConstraints=[{"type": "distinctInstance"}])
    assert configured["deploymentConfiguration"]["deploymentCircuitBreaker"] == {"enable": True, "rollback": True}
    assert configured["placementConstraints"] == [{"type": "distinctInstance"}]
    assert configured["deployments"][0]["id"] == first["deployments"][0]["id"]
    assert update(placementConstraints=[])["placementConstraints"] == []

    second = register(family=family)["taskDefinitionArn"]
    replaced = update(taskDefinition=family)
    assert replaced["taskDefinition"] == replaced["deployments"][0]["taskDefinition"] == second
    assert replaced["deployments"][0]["id"] != first["deployments"][0]["id"]
    assert replaced["deployments"][0]["status"] == "PRIMARY"
    assert update(taskDefinition=second)["deployments"][0]["id"] == replaced["deployments"][0]["id"]
    forced = update(forceNewDeployment=True)
    assert forced["deployments"][0]["id"] != replaced["deployments"][0]["id"]
    assert forced["deployments"][0]["taskDefinition"] == second


def test_services_are_listed_by_pages_and_filters(ecs, cluster, make_service):
    made = {make_service()["serviceArn"] for _ in range(3)}
    daemon = make_service(schedulingStrategy="DAEMON")["serviceArn"]
    assert set(ecs.list_services(cluster=cluster)["serviceArns"]) == made | {daemon}
    assert ecs.list_services(cluster=cluster, schedulingStrategy="DAEMON")["serviceArns"] == [daemon]
    assert ecs.list_services(cluster=cluster, launchType="FARGATE")["serviceArns"] == []
    pages = ecs.get_paginator("list_services").paginate(cluster=cluster, PaginationConfig={"PageSize": 3})
    assert [len(page["serviceArns"]) for page in pages] == [3, 1]
    with refused("InvalidParameterException", "maxResults"):
        ecs.list_services(cluster=cluster, maxResults=101)


def test_a_service_is_deleted(ecs, cluster, make_service, register):
    made = make_service()
    name = made["serviceName"]
    with refused("InvalidParameterException", "The service cannot be stopped while it is scaled above 0."):
        ecs.delete_service(cluster=cluster, service=name)
    with refused("ClusterContainsServicesException", "The Cluster cannot be deleted while Services are active."):
        ecs.delete_cluster(cluster=cluster)
    ecs.update_service(cluster=cluster, service=name, desiredCount=0)
    ended = ecs.delete_service(cluster=cluster, service=name)["service"]
    assert (ended["status"], ended["desiredCount"]) == ("DRAINING", 0)
    assert ecs.list_services(cluster=cluster)["serviceArns"] == []
    ecs.get_waiter("services_inactive").wait(cluster=cluster, services=[name], WaiterConfig=SOON)
    assert describe(ecs, cluster, made)["status"] == "INACTIVE"
    with refused("ServiceNotActiveException", "Service was not ACTIVE."):
        ecs.update_service(cluster=cluster, service=name, desiredCount=1)
    assert ecs.delete_service(cluster=cluster, service=name)["service"]["status"] == "INACTIVE"
    again = make_service(name=name)
    assert again["status"] == describe(ecs, cluster, made)["status"] == "ACTIVE"


def test_missing_services(ecs, cluster):
    with refused("ServiceNotFoundException", "Service not found."):
        ecs.update_service(cluster=cluster, service="none", desiredCount=1)
    with refused("ServiceNotFoundException", "Service not found."):
        ecs.delete_service(cluster=cluster, service="none")
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.create_service(cluster=unique_name(), serviceName="s", taskDefinition="t", desiredCount=1)
    with refused("ClientException", "TaskDefinition not found."):
        ecs.create_service(cluster=cluster, serviceName="s", taskDefinition=unique_name(), desiredCount=1)


def test_daemons_have_rules_of_their_own(ecs, cluster, make_service, register):
    daemon = make_service(schedulingStrategy="DAEMON")
    configuration = daemon["deploymentConfiguration"]
    assert (configuration["minimumHealthyPercent"], configuration["maximumPercent"]) == (0, 100)
    assert daemon["desiredCount"] == 0
    definition = register()["taskDefinitionArn"]

    def create(**members):
        ecs.create_service(cluster=cluster, serviceName="d", taskDefinition=definition, schedulingStrategy="DAEMON",
                           **members)

    with refused("InvalidParameterException", "daemon scheduling strategy does not support a desired count"):
        create(desiredCount=0)
    with refused("InvalidParameterException", "does not support values above 100 for maximumPercent"):
        create(deploymentConfiguration={"maximumPercent": 200})
    with refused("InvalidParameterException", "daemon scheduling strategy does not support placement strategies"):
        create(placementStrategy=[{"type": "random"}])
    # A daemon needs no force.
    assert ecs.delete_service(cluster=cluster, service=daemon["serviceName"])["service"]["status"] == "DRAINING"


def test_invalid_services_are_rejected(ecs, cluster, register):
    definition = register()["taskDefinitionArn"]

    def create(**members):
        ecs.create_service(cluster=cluster, serviceName="s", taskDefinition=definition, desiredCount=1, **members)

    with refused("InvalidParameterException", "Both maximumPercent and minimumHealthyPercent cannot be 100"):
        create(deploymentConfiguration={"maximumPercent": 100, "minimumHealthyPercent": 100})
    with refused("InvalidParameterException", "a valid taskRoleArn is not being used"):
        create(enableExecuteCommand=True)
    with refused("InvalidParameterException", "Network Configuration is not valid"):
        create(networkConfiguration={"awsvpcConfiguration": {"subnets": ["subnet-1"]}})
    with refused("InvalidParameterException"):
        create(placementConstraints=[{"type": "memberOf", "expression": "no expression"}])
    with refused("InvalidParameterException"):
        create(placementStrategy=[{"type": "binpack", "field": "disk"}])
    with refused("InvalidParameterException"):
        create(capacityProviderStrategy=[{"capacityProvider": unique_name()}])


def test_unsupported_features_are_rejected_by_name(ecs, server, cluster, register):
    definition = register()["taskDefinitionArn"]
    balancer = {"targetGroupArn": "arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/t/1", "containerName": "app",
                "containerPort": 80}
    lacking = [
        ("loadBalancers", [balancer]),
        ("serviceRegistries", [{"registryArn": "arn:aws:servicediscovery:us-east-1:1:service/s"}]),
        ("deploymentController", {"type": "CODE_DEPLOY"}),
        ("deploymentController", {"type": "EXTERNAL"}),
        ("launchType", "FARGATE"),
        ("serviceConnectConfiguration", {"enabled": True}),
    ]
    known = ecs.meta.service_model.operation_model("CreateService").input_shape.members
    for member, value in lacking:
        if member in known:
            with refused("ClientException", member):
                ecs.create_service(cluster=cluster, serviceName="s", taskDefinition=definition, desiredCount=1,
                                   **{member: value})


def test_the_circuit_breaker_has_a_threshold(raw, cluster, make_service):
    """Older clients do not have these members."""
    name = make_service()["serviceName"]
    breaker = {"enable": True, "rollback": False, "resetOnHealthyTask": False,
               "thresholdConfiguration": {"type": "COUNT", "value": 7}}

    def update(**changed):
        configuration = {"deploymentCircuitBreaker": {**breaker, **changed}}
        return raw("UpdateService", {"cluster": cluster, "service": name, "deploymentConfiguration": configuration})

    answer = update()
    assert answer.json["service"]["deploymentConfiguration"]["deploymentCircuitBreaker"] == breaker
    for threshold in ({"type": "BOUNDED_PERCENT", "value": 101}, {"type": "SOME", "value": 1}):
        refusal = update(thresholdConfiguration=threshold)
        assert (refusal.status, refusal.json["__type"]) == (400, "InvalidParameterException")


def test_a_service_with_gpus_can_be_updated_on_one_machine(server, make_service, register):
    gpu = register(container={"resourceRequirements": [{"type": "GPU", "value": "1"}]})["taskDefinitionArn"]
    assert make_service(taskDefinition=gpu)["deploymentConfiguration"]["minimumHealthyPercent"] == 0
    given = make_service(taskDefinition=gpu, deploymentConfiguration={"minimumHealthyPercent": 50})
    assert given["deploymentConfiguration"]["minimumHealthyPercent"] == 50
    assert given["deploymentConfiguration"]["maximumPercent"] == 200


def test_services_have_tags(ecs, make_service):
    arn = make_service()["serviceArn"]
    ecs.tag_resource(resourceArn=arn, tags=[{"key": "a", "value": "1"}, {"key": "b", "value": "2"}])
    ecs.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert ecs.list_tags_for_resource(resourceArn=arn)["tags"] == [{"key": "b", "value": "2"}]


def test_tasks_are_listed_by_service(ecs, cluster, make_service):
    name = make_service(desiredCount=0)["serviceName"]
    assert ecs.list_tasks(cluster=cluster, serviceName=name)["taskArns"] == []


def test_service_deployments_and_revisions(ecs, cluster, make_service):
    newer(ecs, "list_service_deployments")
    begin = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=5)
    made = make_service(deploymentConfiguration={"deploymentCircuitBreaker": {"enable": True, "rollback": True}})
    name = made["serviceName"]
    (first,) = ecs.list_service_deployments(cluster=cluster, service=name)["serviceDeployments"]
    assert first["serviceArn"] == made["serviceArn"]
    assert first["status"] in ("PENDING", "IN_PROGRESS")
    revision = first["targetServiceRevisionArn"]
    assert revision.endswith(f":service-revision/{cluster}/{name}/" + made["deployments"][0]["id"][8:])
    (shown,) = ecs.describe_service_deployments(serviceDeploymentArns=[first["serviceDeploymentArn"]])[
        "serviceDeployments"]
    assert shown["sourceServiceRevisions"] == []
    assert shown["targetServiceRevision"]["arn"] == revision
    assert shown["targetServiceRevision"]["requestedTaskCount"] == 1
    assert shown["deploymentCircuitBreaker"]["threshold"] == 3
    assert shown["alarms"]["status"] == "DISABLED"
    with refused("ConflictException"):
        ecs.stop_service_deployment(serviceDeploymentArn=first["serviceDeploymentArn"])  # nothing to roll back to

    ecs.update_service(cluster=cluster, service=name, forceNewDeployment=True)
    second, old = ecs.list_service_deployments(cluster=cluster, service=name)["serviceDeployments"]
    assert old["serviceDeploymentArn"] == first["serviceDeploymentArn"]
    assert second["targetServiceRevisionArn"] != revision

    def listed(**filters):
        found = ecs.list_service_deployments(cluster=cluster, service=name, **filters)["serviceDeployments"]
        return [one["serviceDeploymentArn"] for one in found]

    assert listed(status=["ROLLBACK_FAILED"]) == []
    assert len(listed(createdAt={"after": begin})) == 2
    assert listed(createdAt={"before": begin}) == []
    assert listed(maxResults=1) == [second["serviceDeploymentArn"]]

    revisions = ecs.describe_service_revisions(serviceRevisionArns=[revision, revision + "0"])
    assert revisions["serviceRevisions"][0]["taskDefinition"] == made["taskDefinition"]
    assert [one["reason"] for one in revisions["failures"]] == ["MISSING"]
    with refused("ServiceDeploymentNotFoundException"):
        ecs.stop_service_deployment(serviceDeploymentArn=first["serviceDeploymentArn"][:-4] + "none")
