#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A tour of Stoker with stock clients: a queue; tasks with GPUs (simulated, so that the demo runs anywhere), the GPUs
# that each holds, and a placement failure with its reason; a service; an object in a bucket, whose event a task
# processes; and a clean shutdown.
set -euo pipefail
cd "$(dirname "$0")/.."
stoker=${1:-build/release/src/stoker}
data=$(mktemp -d)
server=""
driver=process
finish() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  wait 2> /dev/null || true
  # An agent keeps stopped containers for hours, for inspection.
  [ "$driver" = process ] || docker ps -aq --filter "label=stoker.agent=box-a:$data/agent" | xargs -r docker rm -f > /dev/null
  rm -rf "$data"
}
trap finish EXIT
say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
note() { printf '\n\033[2m# %s\033[0m\n' "$*"; }

# Waits until a command prints something.
await() {
  for _ in $(seq 1200); do
    [ -z "$("$@" 2> /dev/null)" ] || return 0
    sleep 0.1
  done
  echo "not within 120 s: $*" >&2
  return 1
}

# Containers if a Docker engine runs here, else processes.
driver=process image=process
if docker version > /dev/null 2>&1 && tools/docker.sh > /dev/null 2>&1; then
  driver=docker image=stoker-test:latest
else
  note "no Docker engine runs here, so tasks are plain processes"
fi

say "stoker up --gpus fake:4xV100 --driver $driver"
"$stoker" up --data "$data" --listen 127.0.0.1:0 --gpus fake:4xV100 --driver "$driver" --name box-a > "$data/out" 2> "$data/log" &
server=$!
ready_or_ended() { grep 'is ready' "$data/out" || kill -0 "$server" || echo ended; }
await ready_or_ended
kill -0 "$server" || { cat "$data/log" && exit 1; }
cat "$data/out"

eval "$("$stoker" env --data "$data")"
aws_command=/usr/bin/aws
[ -x "$aws_command" ] || aws_command=aws
quiet() { "$aws_command" --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }
run() {
  say "aws $*"
  quiet "$@"
}
own() {
  say "stoker $*"
  "$stoker" "$@" --data "$data" || true
}
export AWS_PAGER=""

note "a queue, with a stock SQS client"
run sts get-caller-identity
run sqs create-queue --queue-name demo
queue="$AWS_ENDPOINT_URL/000000000000/demo"
run sqs send-message --queue-url "$queue" --message-body "a file to look at"
run sqs receive-message --queue-url "$queue" --wait-time-seconds 5

note "a machine with four GPUs has joined"
await quiet ecs list-container-instances --query 'containerInstanceArns[]' --output text
connected() { "$stoker" nodes --data "$data" | grep ACTIVE; }
await connected
own nodes

note "a task definition with two GPUs, registered by a stock client"
container='{"name": "main", "image": "'$image'", "memory": 64, "stopTimeout": 2,
  "entryPoint": ["/bin/sh", "-c"], "command": ["nvidia-smi -L; sleep 300"],
  "resourceRequirements": [{"type": "GPU", "value": "2"}]}'
run ecs register-task-definition --family train --container-definitions "[$container]" \
  --query 'taskDefinition.[taskDefinitionArn, status]'
run ecs run-task --task-definition train --query 'tasks[].[taskArn, containers[0].gpuIds]'
task=$(quiet ecs list-tasks --family train --query 'taskArns[0]' --output text)
quiet ecs wait tasks-running --tasks "$task"
await "$stoker" logs --data "$data" "${task##*/}"
own logs "${task##*/}"

note "a second task fits, a third does not, and the reason is shown"
run ecs run-task --task-definition train --query 'tasks[].[taskArn, containers[0].gpuIds]'
run ecs run-task --task-definition train --query '[tasks, failures]'
own ps
own gpus
own explain train

note "stopping the tasks"
run ecs stop-task --task "$task" --reason "seen enough" --query 'task.[lastStatus, desiredStatus, stoppedReason]'
quiet ecs wait tasks-stopped --tasks "$task"
for other in $(quiet ecs list-tasks --query 'taskArns[]' --output text); do
  quiet ecs stop-task --task "$other" > /dev/null
  quiet ecs wait tasks-stopped --tasks "$other"
done
own ps --all
own gpus

note "a service keeps tasks running: it is created by a stock client, scaled, deployed again, and deleted"
container='{"name": "main", "image": "'$image'", "memory": 64, "stopTimeout": 2, "entryPoint": ["/bin/sh", "-c"],
  "command": ["trap exit TERM; while true; do sleep 1 & wait; done"],
  "resourceRequirements": [{"type": "GPU", "value": "2"}]}'
quiet ecs register-task-definition --family serve --container-definitions "[$container]" > /dev/null
run ecs create-service --service-name ocr --task-definition serve --desired-count 1 \
  --query 'service.[serviceName, status, desiredCount]'
# Waits until so many tasks of the service run, and none of a replaced deployment is left.
serving() { quiet ecs describe-services --services ocr --query "services[?length(deployments) == \`1\` &&
  runningCount == \`$1\`].serviceName" --output text; }
await serving 1
own service scale ocr 2
await serving 2
own services
note "all four GPUs are in use, so that old tasks stop before new ones start"
own service update ocr --force
await serving 2
own ps --by-service
own service events ocr
own service delete ocr --force
stopped() { "$stoker" ps --data "$data" | grep "no tasks"; }
await stopped

note "objects: a bucket publishes its events to a queue, and a task with a GPU processes them"
run s3 mb s3://photos
run sqs create-queue --queue-name photos
queue="$AWS_ENDPOINT_URL/000000000000/photos"
arn=arn:aws:sqs:$AWS_DEFAULT_REGION:000000000000:photos
policy='{"Statement": [{"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
  "Resource": "'$arn'", "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:s3:::photos"}}}]}'
python3 -c 'import json, sys; print(json.dumps({"Policy": sys.argv[1]}))' "$policy" > "$data/policy.json"
run sqs set-queue-attributes --queue-url "$queue" --attributes "file://$data/policy.json"
run s3api put-bucket-notification-configuration --bucket photos --notification-configuration '{"QueueConfigurations":
  [{"QueueArn": "'$arn'", "Events": ["s3:ObjectCreated:*"],
    "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "in/"}]}}}]}'
# The image is busybox, so the container mounts this machine's Python.
shared="" mounts=""
add() {
  shared+="${shared:+, }{\"name\": \"$1\", \"host\": {\"sourcePath\": \"$2\"}}"
  mounts+="${mounts:+, }{\"sourceVolume\": \"$1\", \"containerPath\": \"$3\", \"readOnly\": true}"
}
python=/usr/bin/python3 worker=$PWD/examples/worker/worker.py
if [ "$driver" = docker ]; then
  add python "$(readlink -f /usr/bin/python3)" /bin/python3
  add lib /usr/lib /usr/lib && add libs /usr/lib /lib && add lib64 /usr/lib64 /lib64
  add worker "$PWD/examples/worker" /worker
  python=/bin/python3 worker=/worker/worker.py
fi
# Two messages: S3's test event and the event of the object.
container='{"name": "main", "image": "'$image'", "memory": 256, "command": ["'$python'", "'$worker'"],
  "environment": [{"name": "PYTHONHOME", "value": "/usr"}, {"name": "QUEUE", "value": "'$queue'"}, {"name": "MESSAGES", "value": "2"}],
  "mountPoints": ['$mounts'], "resourceRequirements": [{"type": "GPU", "value": "1"}]}'
# With a role, a task has credentials.
quiet ecs register-task-definition --family look --task-role-arn arn:aws:iam::000000000000:role/look \
  --container-definitions "[$container]" --volumes "[$shared]" > /dev/null
say "aws ecs run-task --task-definition look"
task=$(quiet ecs run-task --task-definition look --query 'tasks[0].taskArn' --output text)
quiet ecs describe-tasks --tasks "$task" --query 'tasks[].[taskArn, containers[0].gpuIds]'
run s3 cp --no-progress README.md s3://photos/in/cat.txt
quiet ecs wait tasks-stopped --tasks "$task"
own logs "${task##*/}"
run s3 ls s3://photos --recursive
run s3 cp s3://photos/results/cat.txt.json -
echo
note "logs: the output of a task goes to CloudWatch Logs, and a stock client follows it"
run logs create-log-group --log-group-name /demo/train
container='{"name": "main", "image": "'$image'", "memory": 64, "entryPoint": ["/bin/sh", "-c"],
  "command": ["for epoch in 1 2 3; do echo epoch $epoch; sleep 1; done; echo trained"],
  "logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-group": "/demo/train",
    "awslogs-region": "'$AWS_DEFAULT_REGION'", "awslogs-stream-prefix": "demo"}}}'
quiet ecs register-task-definition --family logged --container-definitions "[$container]" > /dev/null
say "aws logs tail /demo/train --follow --format short"
quiet logs tail /demo/train --follow --format short > "$data/tail" 2>&1 &
tail=$!
quiet ecs run-task --task-definition logged > /dev/null
await grep trained "$data/tail"
kill "$tail" && wait "$tail" 2> /dev/null || true
cat "$data/tail"

note "an alarm on the length of a queue; its action is a message to another queue"
run sqs create-queue --queue-name alerts
alerts=arn:aws:sqs:$AWS_DEFAULT_REGION:000000000000:alerts
policy='{"Statement": [{"Effect": "Allow", "Principal": {"Service": "cloudwatch.amazonaws.com"}, "Action": "sqs:SendMessage",
  "Resource": "'$alerts'"}]}'
python3 -c 'import json, sys; print(json.dumps({"Policy": sys.argv[1]}))' "$policy" > "$data/policy.json"
run sqs set-queue-attributes --queue-url "$AWS_ENDPOINT_URL/000000000000/alerts" --attributes "file://$data/policy.json"
quiet sqs create-queue --queue-name jobs > /dev/null
run cloudwatch put-metric-alarm --alarm-name backlog --namespace AWS/SQS \
  --metric-name ApproximateNumberOfMessagesVisible --dimensions Name=QueueName,Value=jobs --statistic Average \
  --period 60 --evaluation-periods 1 --threshold 0 --comparison-operator GreaterThanThreshold \
  --alarm-actions "$alerts"
run sqs send-message --queue-url "$AWS_ENDPOINT_URL/000000000000/jobs" --message-body "work" --query MessageId
run sqs receive-message --queue-url "$AWS_ENDPOINT_URL/000000000000/alerts" --wait-time-seconds 20 --query 'Messages[].Body' --output text
run cloudwatch describe-alarms --alarm-names backlog --query 'MetricAlarms[].[AlarmName, StateValue, StateReason]'

note "the GPUs, as dcgm-exporter would show them to Prometheus"
say "curl http://127.0.0.1:9400/metrics"
curl -sf http://127.0.0.1:9400/metrics > "$data/gpus" || echo "another program has port 9400"
grep DCGM_FI_DEV_GPU_UTIL "$data/gpus" || true
say "kill -TERM (stoker finishes the requests in progress and stops)"
kill "$server"
wait "$server"
server=""
echo "stopped"
