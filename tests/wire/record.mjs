// SPDX-License-Identifier: Apache-2.0
// The same calls as record.py's drive(), by the AWS SDK for JavaScript v3. Run by
// record.py from a folder in which the four clients are installed.
import { createRequire } from "node:module";

const load = createRequire(process.cwd() + "/");
const { SQSClient, SendMessageCommand, ReceiveMessageCommand } = load("@aws-sdk/client-sqs");
const { S3Client, PutObjectCommand, ListObjectsV2Command } = load("@aws-sdk/client-s3");
const { CloudWatchClient, PutMetricDataCommand } = load("@aws-sdk/client-cloudwatch");
const { AwsSmithyRpcV2CborProtocol } = load("@aws-sdk/core/protocols");
const { ECSClient, RegisterTaskDefinitionCommand } = load("@aws-sdk/client-ecs");

const endpoint = process.env.ENDPOINT;
const config = {
  endpoint, region: "us-east-1", maxAttempts: 1, forcePathStyle: true,
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
};
const queue = `${endpoint}/000000000000/jobs`;

async function record(name, client, command) {
  await fetch(`${endpoint}/case/${name}`);
  await client.send(command).catch((error) => console.log(`${name}: ${error.name}: ${error.message}`.slice(0, 160)));
}

const sqs = new SQSClient(config), s3 = new S3Client(config);
await record("sqs_send_message", sqs, new SendMessageCommand({
  QueueUrl: queue, MessageBody: '{"file": "a&b=c.png", "note": "naïve ☕"}', DelaySeconds: 5,
  MessageAttributes: {
    kind: { DataType: "String", StringValue: "ocr" },
    raw: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
  },
}));
await record("sqs_receive_message", sqs, new ReceiveMessageCommand({
  QueueUrl: queue, AttributeNames: ["SentTimestamp", "ApproximateReceiveCount"], MessageAttributeNames: ["All"],
  MaxNumberOfMessages: 10, WaitTimeSeconds: 20,
}));
await record("s3_put_object", s3, new PutObjectCommand({
  Bucket: "photos", Key: "scans/a b+ü.txt", Body: "hello, world", ContentType: "text/plain",
  Metadata: { Source: "scanner-7" },
}));
await record("s3_list_objects_v2", s3, new ListObjectsV2Command({
  Bucket: "photos", Prefix: "scans/a b+ü", Delimiter: "/", MaxKeys: 7, StartAfter: "x&y",
}));
const metrics = new PutMetricDataCommand({
  Namespace: "Stoker",
  MetricData: [{
    MetricName: "Backlog", Dimensions: [{ Name: "Queue", Value: "jobs" }], Value: 2.5, Unit: "Count",
    Timestamp: new Date("2026-11-05T09:30:10.250Z"), StorageResolution: 1,
  }],
});
await record("cloudwatch_put_metric_data", new CloudWatchClient(config), metrics);
const cbor = new CloudWatchClient({ ...config, protocol: AwsSmithyRpcV2CborProtocol });
await record("cloudwatch_put_metric_data_cbor", cbor, metrics);
await record("ecs_register_task_definition", new ECSClient(config), new RegisterTaskDefinitionCommand({
  family: "ocr", networkMode: "host", requiresCompatibilities: ["EC2"], cpu: "256",
  containerDefinitions: [{
    name: "worker", image: "ocr:latest", memory: 512, essential: true, command: ["work", "--queue", "jobs"],
    environment: [{ name: "MODEL", value: "résumé" }],
    resourceRequirements: [{ type: "GPU", value: "2" }],
    portMappings: [{ containerPort: 8080, protocol: "tcp" }],
    logConfiguration: { logDriver: "awslogs", options: { "awslogs-group": "ocr" } },
  }],
  tags: [{ key: "team", value: "vision" }],
}));
