#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An OCR service: upload API, Celery workers on SQS and then on Redis, results in S3 and at another API. README.md
# explains the steps.
. "$(dirname "$0")/../session.sh"
here=$root/examples/ocr-service
name=ocr-service
bucket=$name-example
documents=0

turn_off() {
  local service arn
  note "everything is turned off"
  for service in api worker; do
    run ecs update-service --service $name-$service --desired-count 0 --query service.desiredCount
  done
  for service in api worker; do
    await service_runs default $name-$service 0
    run ecs delete-service --service $name-$service --query service.status
    for arn in $(quiet ecs list-task-definitions --family-prefix $name-$service --query 'taskDefinitionArns[]' --output text); do
      quiet ecs deregister-task-definition --task-definition "$arn" > /dev/null
    done
  done
  run sqs delete-queue --queue-url "$queue"
  run s3 rm --recursive --quiet s3://$bucket
  run s3 rb s3://$bucket
}

diagnose() {
  own explain service $name-api
  own explain service $name-worker
}

start --gpus "$(gpus 2xT4)" --driver process --name box-a
read -r port callback_port redis_port <<< "$(free_ports 3)"
server_address=${AWS_ENDPOINT_URL#*://}

note "a bucket, a queue, and the settings of the service as a file in the bucket"
run s3 mb s3://$bucket
# A message that a worker took and did not finish returns after this time.
run sqs create-queue --queue-name $name --attributes VisibilityTimeout=30
queue=$(quiet sqs get-queue-url --queue-name $name --query QueueUrl --output text)
settings() { # FILE BROKER
  printf '%s\n' "BROKER_URL=$2" "TASK_QUEUE=$name" "BUCKET=$bucket" "PORT=$port" \
    "CALLBACK_URL=http://127.0.0.1:$callback_port/results" > "$folder/$1"
  say "cat $folder/$1"
  cat "$folder/$1"
  run s3 cp --no-progress "$folder/$1" "s3://$bucket/settings/$1"
}
settings sqs.env "sqs://@$server_address//"
say "python3 $here/receiver.py $callback_port $folder/received &"
background receiver "$python" "$here/receiver.py" "$callback_port" "$folder/received"

# Registers a revision of both task definitions: SETTINGS VERSION
register() {
  local shared='"image": "process", "memory": 512, "environmentFiles": [{"type": "s3", "value": "arn:aws:s3:::'$bucket/settings/$1'"}],
    "environment": [{"name": "VERSION", "value": "'$2'"}]'
  local roles=(--task-role-arn "arn:aws:iam::$account:role/ocr" --execution-role-arn "arn:aws:iam::$account:role/execution")
  run ecs register-task-definition --family $name-api "${roles[@]}" --query taskDefinition.taskDefinitionArn \
    --container-definitions '[{"name": "api", '"$shared"', "command": ["'"$python"'", "'"$here"'/api.py"],
    "portMappings": [{"containerPort": '"$port"', "hostPort": '"$port"'}],
    "healthCheck": {"command": ["CMD-SHELL", "curl -sf http://127.0.0.1:$PORT/health"],
      "interval": 5, "timeout": 60, "retries": 3, "startPeriod": 300}}]'
  run ecs register-task-definition --family $name-worker "${roles[@]}" --query taskDefinition.taskDefinitionArn \
    --container-definitions '[{"name": "worker", '"$shared"', "resourceRequirements": [{"type": "GPU", "value": "1"}],
    "command": ["sh", "-c", "exec '"$python"' -m celery --workdir '"$here"' -A tasks worker --pool solo -n ocr-$$@%h"]}]'
}
submit() { # TEXT
  "$python" "$here/document.py" "$folder/document.png" "$1"
  say "curl -si --data-binary @$folder/document.png http://127.0.0.1:$port/documents"
  curl -sSi --max-time "$patience_seconds" --data-binary "@$folder/document.png" "http://127.0.0.1:$port/documents" > "$folder/answer"
  cat "$folder/answer" && echo
  grep -q '^HTTP/1.0 202' "$folder/answer"
  task_id=$(grep -o '"task_id": "[^"]*' "$folder/answer" | cut -d '"' -f 4)
  printf '"task_id": "%s", "text": "%s"\n' "$task_id" "$1" >> "$folder/expected"
  documents=$((documents + 1))
}
all_received() {
  local line
  while read -r line; do grep -qF "$line" "$folder/received" || return 1; done < "$folder/expected"
}
show_received() {
  await all_received
  say "cat $folder/received"
  cat "$folder/received"
}

note "two services: the API, with a health check, and two workers with a GPU each"
register sqs.env 1
run ecs create-service --service-name $name-api --task-definition $name-api --desired-count 1 --query service.status \
  --deployment-configuration minimumHealthyPercent=0,maximumPercent=100
run ecs create-service --service-name $name-worker --task-definition $name-worker --desired-count 2 --query service.status
await service_runs default $name-api 1
await service_runs default $name-worker 2
own services
run ecs describe-tasks --tasks "$(quiet ecs list-tasks --service-name $name-api --query 'taskArns[0]' --output text)" \
  --query 'tasks[].[lastStatus, healthStatus]'

note "documents in, task ids at once, results in the bucket and then at the other API (which rejects the first)"
submit "Invoice 2041"
first=$task_id
submit "Total 318 Euro"
submit "Paid in March"
show_received
say "curl -s http://127.0.0.1:$port/documents/$first"
curl -sS --max-time "$patience_seconds" "http://127.0.0.1:$port/documents/$first" && echo
run s3 ls s3://$bucket/results/

note "a rolling deployment of the workers, while documents arrive"
register sqs.env 2
run ecs update-service --service $name-worker --task-definition $name-worker --query service.deployments[].status
submit "Sent during the deployment"
await service_runs default $name-worker 2
submit "Sent after the deployment"
show_received
grep "$task_id" "$folder/received" | grep -q '"version": "2"'
own service events $name-worker

note "the same on Redis: another file of settings, and a deployment of both services"
say "redis-server --port $redis_port --save '' --bind 127.0.0.1 &"
background redis redis-server --port "$redis_port" --save '' --bind 127.0.0.1 --dir "$folder"
settings redis.env "redis://127.0.0.1:$redis_port/0"
register redis.env 3
for service in api worker; do
  run ecs update-service --service $name-$service --task-definition $name-$service --query service.deployments[].status
done
await service_runs default $name-api 1
await service_runs default $name-worker 2

note "Celery's own view, for which the broker must be able to broadcast"
celery=(env "BROKER_URL=redis://127.0.0.1:$redis_port/0" "TASK_QUEUE=$name" "PYTHONUNBUFFERED=1"
  "$python" -m celery --workdir "$here" -A tasks)
await "${celery[@]}" inspect ping
say "$(quoted "${celery[@]}" inspect registered)"
"${celery[@]}" inspect registered
say "$(quoted "${celery[@]}" events --dump)"
background events "${celery[@]}" events --dump
capturing() { grep -q heartbeat "$folder/events.log"; }
await capturing
submit "Sent by way of Redis"
show_received
grep "$task_id" "$folder/received" | grep -q '"broker": "redis"'
seen() { grep -q 'task succeeded' "$folder/events.log"; }
await seen
grep -E 'task (received|started|succeeded)' "$folder/events.log" | cut -c -160

turn_off
echo "$documents documents were read"
