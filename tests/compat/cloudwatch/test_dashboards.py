# SPDX-License-Identifier: Apache-2.0
"""Dashboards: stored unchanged, rejected in Amazon's words."""
import json

import pytest

from support.queues import refused, unique_name

BODY = json.dumps({"widgets": [{"type": "text", "x": 0, "y": 0, "width": 6, "height": 3, "properties": {"markdown": "hi"}}]})


@pytest.fixture(scope="session")
def dashboards(connect):
    return connect("cloudwatch")


def test_a_dashboard_is_put_read_listed_and_deleted(dashboards, account):
    name = unique_name()
    assert dashboards.put_dashboard(DashboardName=name, DashboardBody=BODY)["DashboardValidationMessages"] == []
    found = dashboards.get_dashboard(DashboardName=name)
    assert found["DashboardBody"] == BODY
    assert found["DashboardArn"] == f"arn:aws:cloudwatch::{account}:dashboard/{name}"
    (entry,) = dashboards.list_dashboards(DashboardNamePrefix=name)["DashboardEntries"]
    assert (entry["DashboardName"], entry["Size"]) == (name, len(BODY))
    with refused("ResourceNotFound", "Dashboard absent does not exist"):
        dashboards.delete_dashboards(DashboardNames=[name, "absent"])
    dashboards.delete_dashboards(DashboardNames=[name])
    with refused("ResourceNotFound", f"Dashboard {name} does not exist"):
        dashboards.get_dashboard(DashboardName=name)


def test_invalid_dashboards_are_rejected(dashboards):
    with refused("InvalidParameterValue", "contains invalid characters"):
        dashboards.put_dashboard(DashboardName="a b", DashboardBody=BODY)
    with refused("InvalidParameterInput", "The field DashboardBody must be a valid JSON object"):
        dashboards.put_dashboard(DashboardName="a", DashboardBody="no")
    with refused("InvalidParameterInput", "there are 1 validation errors:\n[\n  {\n    \"dataPath\": \"\""):
        dashboards.put_dashboard(DashboardName="a", DashboardBody="{}")
