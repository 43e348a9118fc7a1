# SPDX-License-Identifier: Apache-2.0
"""GPU metrics, on the agent's own page and in CloudWatch."""
import datetime
import re
import urllib.request

from support.cluster import gpus_of, set_gpu_load
from support.waiting import ALARM_PATIENCE_SECONDS, eventually

SAMPLE = re.compile(r'^(DCGM_FI_DEV_[A-Z_]+)\{(.*)\} ([0-9.]+)$')


def page_of(machine, path="/metrics"):
    url = (machine.data / "metrics_url").read_text().strip().removesuffix("/metrics")
    with urllib.request.urlopen(url + path, timeout=60) as answer:
        return answer.read().decode()


def samples_of(page):
    """{(name, UUID): (labels, value)}; every line must be one that dcgm-exporter could print."""
    found = {}
    for line in page.splitlines():
        if re.match(r"^# (HELP DCGM_FI_DEV_[A-Z_]+ .+|TYPE DCGM_FI_DEV_[A-Z_]+ (gauge|counter))$", line):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        labels = dict(re.findall(r'([A-Za-z_]+)="((?:[^"\\]|\\.)*)"', labels))
        found[name, labels["UUID"]] = labels, float(value)
    return found


def values(fleet, space, name, dimensions, stat="Maximum", period=1):
    now = datetime.datetime.now(datetime.timezone.utc)
    metric = {"Namespace": space, "MetricName": name}
    metric["Dimensions"] = [{"Name": key, "Value": value} for key, value in dimensions.items()]
    answer = fleet.client("cloudwatch").get_metric_data(
        MetricDataQueries=[{"Id": "m", "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}}],
        StartTime=now - datetime.timedelta(minutes=10), EndTime=now + datetime.timedelta(minutes=1),
    )
    return answer["MetricDataResults"][0]["Values"]


def test_the_page_and_cloudwatch_show_the_same_gpu(fleet):
    machine = fleet.add("box-a", "fake:2xV100", arguments=["--metrics-listen", "127.0.0.1:0"])
    task = fleet.run(fleet.define("sleep 300", gpus=1))
    fleet.wait_for(task, "RUNNING")
    task_id = task["taskArn"].rsplit("/", 1)[1]
    held = gpus_of(task)[0]
    set_gpu_load(machine.data, {held: {"utilization": 83, "memory_used_mib": 4096, "xid": 31}})

    def busy():
        samples = samples_of(page_of(machine))
        return samples if samples["DCGM_FI_DEV_GPU_UTIL", held][1] == 83 else None

    samples = eventually(busy)
    labels, value = samples["DCGM_FI_DEV_FB_USED", held]
    assert value == 4096 and labels["Hostname"] == "box-a" and labels["modelName"] == "Tesla V100-SXM2-16GB"
    assert (labels["container"], labels["namespace"], labels["pod"]) == ("main", "default", task_id)
    assert samples["DCGM_FI_DEV_XID_ERRORS", held][0]["err_code"] == "31"
    idle = next(gpu for gpu in machine.gpu_ids if gpu != held)
    assert "pod" not in samples["DCGM_FI_DEV_GPU_UTIL", idle][0]
    assert page_of(machine, "/health").strip() == "OK"

    space = "ECS/ContainerInsights/Prometheus"
    for dimensions in ({"TaskId": task_id}, {"GpuId": held, "ContainerInstanceId": machine.arn.rsplit("/", 1)[1]}, {}):
        dimensions["ClusterName"] = "default"
        eventually(lambda: 83.0 in values(fleet, space, "DCGM_FI_DEV_GPU_UTIL", dimensions),
                   ALARM_PATIENCE_SECONDS)
    eventually(lambda: 4096.0 in values(fleet, space, "DCGM_FI_DEV_FB_USED", {"ClusterName": "default"}),
               ALARM_PATIENCE_SECONDS)
    eventually(lambda: 50.0 in values(fleet, "AWS/ECS", "GPUReservation", {"ClusterName": "default"}), ALARM_PATIENCE_SECONDS)


def test_the_usage_of_tasks_becomes_the_utilization_of_the_cluster(fleet, driver):
    fleet.add("box-a", "none", driver)
    task = fleet.run(fleet.define("while :; do :; done", driver=driver, cpu=256))
    fleet.wait_for(task, "RUNNING")
    cluster = {"ClusterName": "default"}
    for name in ("CPUUtilization", "MemoryUtilization"):
        eventually(lambda: max(values(fleet, "AWS/ECS", name, cluster), default=0) > 0, ALARM_PATIENCE_SECONDS)


def test_a_port_in_use_is_logged_and_the_agent_works(fleet):
    first = fleet.add("box-a", "fake:1xT4", arguments=["--metrics-listen", "127.0.0.1:0"])
    listen = (first.data / "metrics_url").read_text().strip().removeprefix("http://").removesuffix("/metrics")
    second = fleet.add("box-b", "fake:1xT4", arguments=["--metrics-listen", listen])
    assert "GPU metrics page not available" in second.log.read_text()
    assert samples_of(page_of(first))
