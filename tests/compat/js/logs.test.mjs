// SPDX-License-Identifier: Apache-2.0
// CloudWatch Logs: writing, reading, filtering and tailing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CloudWatchLogs, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { connect, refused, sts, uniqueName } from "./support.mjs";

const logs = connect(CloudWatchLogs);

async function makeGroup(t) {
  const group = { logGroupName: uniqueName(), logStreamName: "s" };
  await logs.createLogGroup({ logGroupName: group.logGroupName });
  await logs.createLogStream(group);
  t.after(() => logs.deleteLogGroup({ logGroupName: group.logGroupName }));
  return group;
}

const events = (...messages) => messages.map((message, i) => ({ timestamp: Date.now() - 1000 + i, message }));

test("events are read in order, with tokens that repeat at the end", async (t) => {
  const group = await makeGroup(t);
  await logs.putLogEvents({ ...group, logEvents: events("a", "b", "c") });
  const page = await logs.getLogEvents({ ...group, startFromHead: true });
  assert.deepEqual(page.events.map((event) => event.message), ["a", "b", "c"]);
  const next = await logs.getLogEvents({ ...group, startFromHead: true, nextToken: page.nextForwardToken });
  assert.deepEqual(next.events, []);
  assert.equal(next.nextForwardToken, page.nextForwardToken);
});

test("a pattern selects events over several pages", async (t) => {
  const { logGroupName, ...stream } = await makeGroup(t);
  await logs.putLogEvents({ logGroupName, ...stream, logEvents: events("ok", "ERROR 1", "ok", "ERROR 2") });
  const found = [];
  const pages = paginateFilterLogEvents({ client: logs, pageSize: 1 }, { logGroupName, filterPattern: "ERROR" });
  for await (const page of pages) found.push(...page.events.map((event) => event.message));
  assert.deepEqual(found, ["ERROR 1", "ERROR 2"]);
});

test("a missing group is an error", async () => {
  await refused(
    logs.filterLogEvents({ logGroupName: uniqueName() }),
    "ResourceNotFoundException",
    "The specified log group does not exist.",
  );
});

test("a live tail shows events that arrive", async (t) => {
  const group = await makeGroup(t);
  const { Account } = await sts.getCallerIdentity({});
  const arn = `arn:aws:logs:us-east-1:${Account}:log-group:${group.logGroupName}`;
  // By default the SDK puts "stream-" in front of the host. The client keeps the connection until it is destroyed.
  const tail = connect(CloudWatchLogs, { disableHostPrefix: true });
  t.after(() => tail.destroy());
  const { responseStream } = await tail.startLiveTail({ logGroupIdentifiers: [arn] });
  let put = false;
  for await (const event of responseStream) {
    if (event.sessionUpdate && !put) {
      put = true;
      await logs.putLogEvents({ ...group, logEvents: events("hello") });
    }
    const [shown] = event.sessionUpdate?.sessionResults ?? [];
    if (!shown) continue;
    assert.equal(shown.message, "hello");
    break;
  }
  assert.ok(put);
});
