// SPDX-License-Identifier: Apache-2.0
// CloudWatch: points, statistics, metric math and alarms. The SDK speaks CBOR, and compresses large requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CloudWatch, paginateListMetrics } from "@aws-sdk/client-cloudwatch";
import { connect, eventually, refused, uniqueName } from "./support.mjs";

const cloudwatch = connect(CloudWatch);
const minute = 60_000;
// A whole minute in the past, so that all points of a test are in one period.
const begin = new Date(Math.floor(Date.now() / minute) * minute - 10 * minute);
const end = new Date(begin.getTime() + minute);
const range = { StartTime: begin, EndTime: end };
const Dimensions = [{ Name: "Machine", Value: "box-a" }];

const point = (MetricName, Value) => ({ MetricName, Value, Timestamp: begin, Dimensions });

test("statistics of points", async () => {
  const Namespace = uniqueName();
  const values = { MetricName: "Load", Values: [1, 5], Counts: [3, 1], Timestamp: begin, Dimensions };
  await cloudwatch.putMetricData({ Namespace, MetricData: [values] });
  const { Datapoints } = await cloudwatch.getMetricStatistics({
    ...range, Namespace, MetricName: "Load", Dimensions, Period: 60, Statistics: ["SampleCount", "Sum", "Maximum"],
  });
  assert.equal(Datapoints.length, 1);
  const { SampleCount, Sum, Maximum, Timestamp } = Datapoints[0];
  assert.deepEqual({ SampleCount, Sum, Maximum, Timestamp }, { SampleCount: 4, Sum: 8, Maximum: 5, Timestamp: begin });
});

test("a large request is compressed, and all of its metrics are listed", async () => {
  const Namespace = uniqueName();
  const names = Array.from({ length: 600 }, (_, i) => `metric-with-a-rather-long-name-${i}`);
  await cloudwatch.putMetricData({ Namespace, MetricData: names.map((name) => point(name, 1)) });
  const listed = [];
  for await (const page of paginateListMetrics({ client: cloudwatch }, { Namespace })) {
    listed.push(...page.Metrics.map((metric) => metric.MetricName));
  }
  assert.deepEqual(listed.sort(), names.sort());
});

test("metric math", async () => {
  const Namespace = uniqueName();
  await cloudwatch.putMetricData({ Namespace, MetricData: [point("Done", 30), point("Failed", 10)] });
  const metric = (Id, MetricName) => ({
    Id, ReturnData: false, MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: 60, Stat: "Sum" },
  });
  const rate = { Id: "rate", Expression: "100 * failed / (done + failed)", Label: "failures" };
  const { MetricDataResults } = await cloudwatch.getMetricData({
    ...range, MetricDataQueries: [metric("done", "Done"), metric("failed", "Failed"), rate],
  });
  const [{ Label, Values, Timestamps }] = MetricDataResults;
  assert.deepEqual([Label, Values, Timestamps], ["failures", [25], [begin]]);
});

test("an alarm fires, and is deleted", async (t) => {
  const Namespace = uniqueName(), AlarmName = uniqueName();
  await cloudwatch.putMetricAlarm({
    AlarmName, Namespace, MetricName: "Load", Statistic: "Maximum", Period: 60, EvaluationPeriods: 1, Threshold: 10,
    ComparisonOperator: "GreaterThanThreshold",
  });
  t.after(() => cloudwatch.deleteAlarms({ AlarmNames: [AlarmName] }));
  const shown = async () => (await cloudwatch.describeAlarms({ AlarmNames: [AlarmName] })).MetricAlarms[0];
  assert.equal((await shown()).Threshold, 10);
  await eventually(async () => {
    // A point may fall into a minute that is over when the alarm is evaluated.
    await cloudwatch.putMetricData({ Namespace, MetricData: [{ MetricName: "Load", Value: 11 }] });
    return (await shown()).StateValue === "ALARM";
  });
  assert.match((await shown()).StateReason, /^Threshold Crossed: 1 datapoint \[11\.0 /);
});

test("errors have Amazon's codes", async () => {
  await refused(cloudwatch.putMetricData({ Namespace: "AWS/Mine", MetricData: [point("Load", 1)] }),
    "InvalidParameterValue");
  await refused(cloudwatch.setAlarmState({ AlarmName: uniqueName(), StateValue: "OK", StateReason: "no" }),
    "ResourceNotFound");
});
