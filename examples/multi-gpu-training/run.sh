#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trainings with 1, 4 and 8 GPUs, a process for each GPU. README.md explains the steps.
. "$(dirname "$0")/../session.sh"
here=$root/examples/multi-gpu-training
name=multi-gpu-training
bucket=$name-example
group=/examples/$name
tasks=() processes=0

turn_off() {
  local family
  note "everything is deleted"
  for task in "${tasks[@]}"; do quiet ecs stop-task --task "$task" > /dev/null; done
  run logs delete-log-group --log-group-name $group
  run s3 rm --recursive --quiet s3://$bucket
  run s3 rb s3://$bucket
  for family in $families; do
    run ecs deregister-task-definition --task-definition "$family:$(revision "$family")" --query taskDefinition.status
  done
}
revision() { quiet ecs describe-task-definition --task-definition "$1" --query taskDefinition.revision --output text; }

diagnose() { own ps --all; }

start --gpus "$(gpus 8xV100)" --driver process --name trainer
count_gpus() { "$stoker" gpus --json | "$python" "$root/examples/state.py" gpus; }
connected() { [ "$(count_gpus)" -gt 0 ]; }
await connected
own gpus
most=$(count_gpus)

note "a log group, and a bucket for results"
run logs create-log-group --log-group-name $group
run s3 mb s3://$bucket

note "task definitions with 1, 4 and 8 GPUs: mpirun starts a process for each"
families=""
for count in 1 4 8; do
  [ "$count" -le "$most" ] || { note "no machine has $count GPUs" && continue; }
  container='{"name": "main", "image": "process", "memory": 1024,
    "command": ["mpirun", "--oversubscribe", "-np", "'$count'", "'$python'", "'$here'/train.py"],
    "environment": [{"name": "BUCKET", "value": "'$bucket'"}, {"name": "RESULT", "value": "train-'$count'.json"},
      {"name": "OMPI_ALLOW_RUN_AS_ROOT", "value": "1"}, {"name": "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "value": "1"}],
    "resourceRequirements": [{"type": "GPU", "value": "'$count'"}],
    "logConfiguration": {"logDriver": "awslogs", "options": {"awslogs-group": "'$group'",
      "awslogs-region": "'$AWS_DEFAULT_REGION'", "awslogs-stream-prefix": "train-'$count'"}}}'
  run ecs register-task-definition --family "train-$count" --task-role-arn "arn:aws:iam::$account:role/train" \
    --container-definitions "[$container]" --query taskDefinition.taskDefinitionArn
  families+=" train-$count"
done

# Runs a task and waits for its end; `task` is its ARN.
train() {
  run ecs run-task --task-definition "$1" "${@:2}" --query 'tasks[].[taskArn, containers[0].gpuIds]' | tee "$folder/task"
  task=$(grep -o 'arn:aws:ecs:[^"]*' "$folder/task")
  tasks+=("$task")
  gpu_ids=$(grep -o 'GPU-[^"]*' "$folder/task" | sort)
  quiet ecs wait tasks-stopped --tasks "$task"
  run ecs describe-tasks --tasks "$task" --query 'tasks[].[stoppedReason, containers[0].exitCode]'
  [ "$(quiet ecs describe-tasks --tasks "$task" --query 'tasks[0].containers[0].exitCode')" = 0 ] ||
    { "$stoker" logs "${task##*/}" && exit 1; }
}
# The result must name the task's GPUs, and have found the weights.
check() {
  run s3 cp s3://$bucket/"$1" -
  echo
  quiet s3 cp --quiet s3://$bucket/"$1" "$folder/result"
  [ "$(grep -o 'GPU-[^"]*' "$folder/result" | sort)" = "$gpu_ids" ] || { echo "the GPUs are not the task's" && exit 1; }
  grep -q '"weights": \[0.5, -1.5, 2.0, 0.25\]' "$folder/result" || { echo "the training failed" && exit 1; }
}

for family in $families; do
  note "$family"
  train "$family"
  check "$family.json"
  processes=$((processes + ${family#train-}))
done

if [ "$most" -ge 4 ]; then
  note "overrides: the same definition with another command, two GPUs, and more epochs"
  train train-4 --overrides '{"containerOverrides": [{"name": "main",
    "command": ["mpirun", "--oversubscribe", "-np", "2", "'"$python"'", "'"$here"'/train.py"],
    "environment": [{"name": "EPOCHS", "value": "100"}, {"name": "RESULT", "value": "overridden.json"}],
    "resourceRequirements": [{"type": "GPU", "value": "2"}]}]}'
  check overridden.json
  grep -q '"epochs": 100' "$folder/result"
  processes=$((processes + 2))
fi

note "the lines of all tasks, with stock clients"
# The last lines of a task may arrive after its end.
lines_arrived() {
  [ "$(quiet logs filter-log-events --log-group-name $group --filter-pattern uses --query 'length(events)')" = "$processes" ]
}
await lines_arrived
run logs tail $group --format short
run logs describe-log-streams --log-group-name $group --query 'logStreams[].logStreamName'
run logs filter-log-events --log-group-name $group --filter-pattern '"epoch 60"' --query 'events[].message'
own ps --all
turn_off
