# SPDX-License-Identifier: Apache-2.0
"""What EC2 fills in, and filters on what instances lack."""
import pytest

IMAGE = "ami-0123456789abcdef0"


def test_the_default_type_is_amazons(ec2):
    made = ec2.run_instances(ImageId=IMAGE, MinCount=1, MaxCount=1)["Instances"][0]
    ec2.terminate_instances(InstanceIds=[made["InstanceId"]])
    assert made["InstanceType"] == "m1.small"
    shown = ec2.describe_instance_types(InstanceTypes=["m1.small"])["InstanceTypes"][0]
    assert shown["VCpuInfo"]["DefaultVCpus"] == 1 and shown["MemoryInfo"]["SizeInMiB"] == 1740
    assert shown["CurrentGeneration"] is False


def test_launch_times_have_whole_seconds(ec2, launch):
    [made] = launch(InstanceType="t3.micro")
    assert made["LaunchTime"].microsecond == 0
    text = made["LaunchTime"].strftime("%Y-%m-%dT%H:%M:%S.000Z")
    filters = [{"Name": "launch-time", "Values": [text]}, {"Name": "instance-id", "Values": [made["InstanceId"]]}]
    assert len(ec2.describe_instances(Filters=filters)["Reservations"]) == 1


@pytest.mark.parametrize("name", ["private-ip-address", "ip-address", "dns-name", "block-device-mapping.volume-id",
                                  "network-interface.network-interface-id", "spot-instance-request-id", "platform"])
def test_filters_on_what_instances_lack_match_none(ec2, launch, name):
    launch(InstanceType="t3.micro")
    assert ec2.describe_instances(Filters=[{"Name": name, "Values": ["*"]}])["Reservations"] == []


def test_a_filter_on_metadata_options(ec2, launch):
    [made] = launch(InstanceType="t3.micro", MetadataOptions={"HttpTokens": "required"})
    filters = [{"Name": "metadata-options.http-tokens", "Values": ["required"]},
               {"Name": "metadata-options.http-put-response-hop-limit", "Values": ["1"]}]
    found = ec2.describe_instances(Filters=filters)["Reservations"]
    assert made["InstanceId"] in [one["InstanceId"] for r in found for one in r["Instances"]]


def test_what_every_instance_shows(ec2, launch):
    [made] = launch(InstanceType="t3.micro")
    assert made["ProductCodes"] == [] and made["PlatformDetails"] == "Linux/UNIX"
    assert made["SourceDestCheck"] is True and made["VirtualizationType"] == "hvm" and made["UsageOperation"] == "RunInstances"
    assert made["HibernationOptions"] == {"Configured": False} and made["EnclaveOptions"] == {"Enabled": False}
    filters = [{"Name": "instance-id", "Values": [made["InstanceId"]]}, {"Name": "virtualization-type", "Values": ["hvm"]}]
    assert len(ec2.describe_instances(Filters=filters)["Reservations"]) == 1


def test_an_empty_zone_is_none(ec2, launch):
    [made] = launch(InstanceType="t3.micro", Placement={"AvailabilityZone": ""})
    assert made["Placement"]["AvailabilityZone"]
