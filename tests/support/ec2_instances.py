# SPDX-License-Identifier: Apache-2.0
"""EC2 instances of a cluster: launching, waiting for their machines, and ending them all."""
import base64

from support.cluster import Cluster, processes_with
from support.waiting import eventually

LIVE = ("pending", "running", "shutting-down", "stopping")


class InstanceCluster(Cluster):
    """A cluster whose machines an instance provider starts. Its instances end with it."""

    def __exit__(self, failed, *rest):
        if self.server.alive:
            try:
                self.terminate_all()
            except Exception as error:  # pylint: disable=broad-except
                print(f"instances were not terminated: {error}")
        super().__exit__(failed, *rest)

    @property
    def ec2(self):
        return self.client("ec2")

    def launch(self, instance_type="g4dn.xlarge", count=1, config="ECS_CLUSTER=default", **more):
        """Ids of new instances whose user data has these lines of /etc/ecs/ecs.config."""
        user_data = "#!/bin/bash\n" + "".join(f"echo {line} >> /etc/ecs/ecs.config\n" for line in config.split("\n"))
        answer = self.ec2.run_instances(
            ImageId=more.pop("ImageId", None) or self.image(), InstanceType=instance_type, MinCount=count, MaxCount=count,
            UserData=user_data, **more,
        )
        return [one["InstanceId"] for one in answer["Instances"]]

    def image(self):
        images = self.ec2.describe_images(Owners=["amazon"])["Images"]
        return images[0]["ImageId"]

    def describe_instance(self, instance):
        return self.ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"][0]

    def instance_state(self, instance):
        return self.describe_instance(instance)["State"]["Name"]

    def wait_state(self, instance, state):
        return eventually(lambda: self.describe_instance(instance) if self.instance_state(instance) == state else None)

    def container_instance(self, instance):
        return next((one for one in self.instances() if one["ec2InstanceId"] == instance), None)

    def wait_joined(self, instance):
        def joined():
            found = self.container_instance(instance)
            return found if found and found["agentConnected"] else None

        return eventually(joined)

    def agents(self, instance):
        """The processes of an instance's agent on this machine."""
        return processes_with(f"--data {self.server.data.resolve()}/instances/{instance}/agent")

    def live_instances(self):
        pages = self.ec2.get_paginator("describe_instances").paginate(
            Filters=[{"Name": "instance-state-name", "Values": list(LIVE)}])
        return [one["InstanceId"] for page in pages for r in page["Reservations"] for one in r["Instances"]]

    def terminate_all(self):
        live = self.live_instances()
        if live:
            self.ec2.terminate_instances(InstanceIds=live)
        eventually(lambda: not self.live_instances())


def gpu_ids(container_instance):
    found = (r["stringSetValue"] for r in container_instance["registeredResources"] if r["name"] == "GPU")
    return next(found, [])


def resource(container_instance, name):
    return next(r["integerValue"] for r in container_instance["registeredResources"] if r["name"] == name)


def encoded(text):
    return base64.b64encode(text.encode()).decode()
