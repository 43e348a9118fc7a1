# SPDX-License-Identifier: Apache-2.0
"""Instance types, zones, images and key pairs."""
import subprocess

import pytest
from botocore.exceptions import ClientError

from support.queues import unique_name


def test_instance_types_have_gpus(ec2):
    found = ec2.describe_instance_types(InstanceTypes=["g4dn.12xlarge"])["InstanceTypes"][0]
    assert found["VCpuInfo"]["DefaultVCpus"] == 48 and found["MemoryInfo"]["SizeInMiB"] == 196608
    gpu = found["GpuInfo"]["Gpus"][0]
    assert (gpu["Name"], gpu["Manufacturer"], gpu["Count"]) == ("T4", "NVIDIA", 4)
    assert found["GpuInfo"]["TotalGpuMemoryInMiB"] == 65536
    with pytest.raises(ClientError) as info:
        ec2.describe_instance_types(InstanceTypes=["x9.huge"])
    assert info.value.response["Error"]["Code"] == "InvalidInstanceType"


def test_all_instance_types_are_listed_in_pages(ec2):
    pages = ec2.get_paginator("describe_instance_types").paginate()
    names = [one["InstanceType"] for page in pages for one in page["InstanceTypes"]]
    assert len(names) == len(set(names)) >= 200 and "t3.micro" in names
    found = ec2.describe_instance_types(Filters=[{"Name": "instance-type", "Values": ["p4d*"]}])["InstanceTypes"]
    assert {one["InstanceType"] for one in found} == {"p4d.24xlarge", "p4de.24xlarge"} or len(found) >= 1
    offered = ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": ["g5.xlarge"]}]
    )
    assert {one["Location"] for one in offered["InstanceTypeOfferings"]} >= {"us-east-1a", "us-east-1b"}


def test_zones_and_regions(ec2):
    zones = ec2.describe_availability_zones()["AvailabilityZones"]
    assert [one["ZoneName"] for one in zones][:3] == ["us-east-1a", "us-east-1b", "us-east-1c"]
    assert {one["State"] for one in zones} == {"available"}
    names = [one["RegionName"] for one in ec2.describe_regions()["Regions"]]
    assert "us-east-1" in names and "eu-west-1" in names


def test_images_of_ecs_are_listed(ec2):
    found = ec2.describe_images(Owners=["amazon"], Filters=[{"Name": "name", "Values": ["*ami-ecs-gpu-hvm*"]}])["Images"]
    assert found and all(one["ImageId"].startswith("ami-") for one in found)


@pytest.mark.parametrize("kind", ["rsa", "ed25519"])
def test_a_new_key_is_one_that_ssh_reads(ec2, kind, tmp_path):
    name = unique_name()
    made = ec2.create_key_pair(KeyName=name, KeyType=kind)
    path = tmp_path / "key"
    path.write_text(made["KeyMaterial"])
    path.chmod(0o600)
    public = subprocess.run(["openssl", "pkey", "-in", str(path), "-noout"], capture_output=True, text=True)
    if kind == "rsa":
        assert public.returncode == 0, public.stderr
    found = ec2.describe_key_pairs(KeyNames=[name], IncludePublicKey=True)["KeyPairs"][0]
    assert found["KeyType"] == kind and found["KeyFingerprint"] == made["KeyFingerprint"]
    try:
        derived = subprocess.run(["ssh-keygen", "-y", "-f", str(path)], capture_output=True, text=True)
        assert derived.stdout.split()[:2] == found["PublicKey"].split()[:2], derived.stderr
    except FileNotFoundError:
        pass  # this machine has no ssh
    ec2.delete_key_pair(KeyName=name)
    other = unique_name()
    imported = ec2.import_key_pair(KeyName=other, PublicKeyMaterial=found["PublicKey"].encode())
    assert imported["KeyName"] == other
    with pytest.raises(ClientError) as info:
        ec2.import_key_pair(KeyName=other, PublicKeyMaterial=found["PublicKey"].encode())
    assert info.value.response["Error"]["Code"] == "InvalidKeyPair.Duplicate"
    ec2.delete_key_pair(KeyName=other)
    with pytest.raises(ClientError) as info:
        ec2.describe_key_pairs(KeyNames=[other])
    assert info.value.response["Error"]["Code"] == "InvalidKeyPair.NotFound"
