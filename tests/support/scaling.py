# SPDX-License-Identifier: Apache-2.0
"""Auto Scaling groups of a cluster, with stock clients."""
from support.ec2_instances import InstanceCluster, encoded
from support.waiting import ALARM_PATIENCE_SECONDS, eventually

POOL = ["--pool-gpus", "fake:4xV100", "--pool-driver", "process"]
ZONES = ["us-east-1a"]


class ScalingCluster(InstanceCluster):
    """A cluster whose machines Auto Scaling groups start. Its groups end with it."""

    def __init__(self, arguments=tuple(POOL), **more):
        super().__init__(arguments=arguments, **more)

    def __exit__(self, failed, *rest):
        try:
            if self.server.alive:
                self.delete_groups()
        finally:  # its processes must not outlive the test
            super().__exit__(failed, *rest)

    def delete_groups(self):
        for group in self.autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
            self.autoscaling.delete_auto_scaling_group(
                AutoScalingGroupName=group["AutoScalingGroupName"], ForceDelete=True)

    @property
    def autoscaling(self):
        return self.client("autoscaling")

    def template(self, name, instance_type="g4dn.xlarge", cluster="default"):
        data = {"ImageId": self.image(), "InstanceType": instance_type,
                "UserData": encoded(f"#!/bin/bash\necho ECS_CLUSTER={cluster} >> /etc/ecs/ecs.config\n")}
        self.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)

    def create_group(self, name, least=0, most=2, **more):
        self.template(name)
        self.autoscaling.create_auto_scaling_group(
            AutoScalingGroupName=name, MinSize=least, MaxSize=most, AvailabilityZones=ZONES,
            LaunchTemplate={"LaunchTemplateName": name, "Version": "$Latest"}, **more)

    def group(self, name):
        return self.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"][0]

    def in_service(self, name):
        return [one["InstanceId"] for one in self.group(name)["Instances"] if one["LifecycleState"] == "InService"]

    def wait_in_service(self, name, count):
        """The instances of a group once so many are in service, and no other is left."""
        def reached():
            found = self.group(name)["Instances"]
            ready = [one["InstanceId"] for one in found if one["LifecycleState"] == "InService"]
            return [ready] if len(ready) == len(found) == count else None

        return eventually(reached, ALARM_PATIENCE_SECONDS)[0]

    def activities(self, name):
        return self.autoscaling.describe_scaling_activities(AutoScalingGroupName=name)["Activities"]
