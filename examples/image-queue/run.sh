#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Images in a bucket start GPU machines, which classify them and go. README.md explains the steps.
. "$(dirname "$0")/../session.sh"
here=$root/examples/image-queue
name=image-queue
bucket=$name-example
images=24

turn_off() {
  note "everything is deleted"
  run ecs delete-service --cluster $name --service worker --force --query service.status
  run autoscaling delete-auto-scaling-group --auto-scaling-group-name $name --force-delete
  run cloudwatch delete-alarms --alarm-names $name-backlog $name-many
  run s3 rm --recursive --quiet s3://$bucket
  run s3 rb s3://$bucket
  run sqs delete-queue --queue-url "$queue"
  run ec2 delete-launch-template --launch-template-name $name --query LaunchTemplate.LaunchTemplateName
  run ecs deregister-task-definition --task-definition "$definition" --query taskDefinition.status
  await no_machines $name
  run ecs delete-cluster --cluster $name --query cluster.status
}

diagnose() {
  own explain group $name
  own explain service worker --cluster $name
}

start --no-agent --pool-gpus "$(gpus 2xT4)" --pool-driver process

note "a queue, and a bucket whose new images are messages of it"
run sqs create-queue --queue-name $name --attributes VisibilityTimeout=120
queue=$(quiet sqs get-queue-url --queue-name $name --query QueueUrl --output text)
queue_arn=arn:aws:sqs:$arn_base:$name
policy='{"Statement": [{"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
  "Resource": "'$queue_arn'", "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:s3:::'$bucket'"}}}]}'
policy=${policy//$'\n'/}
run sqs set-queue-attributes --queue-url "$queue" --attributes "{\"Policy\": \"${policy//\"/\\\"}\"}"
run s3 mb s3://$bucket
run s3api put-bucket-notification-configuration --bucket $bucket --notification-configuration '{"QueueConfigurations":
  [{"QueueArn": "'"$queue_arn"'", "Events": ["s3:ObjectCreated:*"],
    "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "images/"}]}}}]}'
run sqs purge-queue --queue-url "$queue" # S3 has sent a test event, for which no machine is needed

note "a cluster, and a group of GPU machines for it, with none at first"
run ecs create-cluster --cluster-name $name --query cluster.status
ami=$(quiet ec2 describe-images --owners amazon --filters 'Name=name,Values=amzn2-ami-ecs-gpu-*' --query 'Images[0].ImageId' --output text)
user_data=$(printf '#!/bin/bash\necho ECS_CLUSTER=%s >> /etc/ecs/ecs.config\n' $name | base64 -w 0)
run ec2 create-launch-template --launch-template-name $name --query LaunchTemplate.LaunchTemplateId --launch-template-data \
  '{"ImageId": "'"$ami"'", "InstanceType": "g4dn.xlarge", "UserData": "'"$user_data"'"}'
run autoscaling create-auto-scaling-group --auto-scaling-group-name $name --min-size 0 --max-size 2 --desired-capacity 0 \
  --launch-template LaunchTemplateName=$name --availability-zones "${AWS_DEFAULT_REGION}a"

note "a worker on each machine that joins"
container='{"name": "worker", "image": "process", "memory": 512, "command": ["'$python'", "'$here/worker.py'"],
  "environment": [{"name": "QUEUE", "value": "'$queue'"}], "resourceRequirements": [{"type": "GPU", "value": "1"}]}'
run ecs register-task-definition --family $name --task-role-arn "arn:aws:iam::$account:role/worker" \
  --container-definitions "[$container]" --query taskDefinition.taskDefinitionArn
definition=$(quiet ecs describe-task-definition --task-definition $name --query taskDefinition.taskDefinitionArn --output text)
run ecs create-service --cluster $name --service-name worker --task-definition "$definition" \
  --scheduling-strategy DAEMON --query service.status

note "no messages, no machine; a message, one machine; ten messages, two"
step() { # POLICY STEP...
  run autoscaling put-scaling-policy --auto-scaling-group-name $name --policy-name "$1" --policy-type StepScaling \
    --adjustment-type ExactCapacity --estimated-instance-warmup 0 --step-adjustments "${@:2}" --query PolicyARN
}
policy_arn() {
  quiet autoscaling describe-policies --auto-scaling-group-name $name --policy-names "$1" \
    --query 'ScalingPolicies[0].PolicyARN' --output text
}
metric() { # ID METRIC
  echo '{"Id": "'"$1"'", "ReturnData": false, "MetricStat": {"Period": 10, "Stat": "Maximum", "Metric": {"Namespace":
    "AWS/SQS", "MetricName": "'"$2"'", "Dimensions": [{"Name": "QueueName", "Value": "'$name'"}]}}}'
}
alarm() { # NAME THRESHOLD ACTION...
  run cloudwatch put-metric-alarm --alarm-name "$1" --comparison-operator GreaterThanThreshold --threshold "$2" \
    --evaluation-periods 1 --treat-missing-data ignore "${@:3}" --metrics \
    "[$(metric visible ApproximateNumberOfMessagesVisible), $(metric taken ApproximateNumberOfMessagesNotVisible),
  {\"Id\": \"backlog\", \"Expression\": \"visible + taken\"}]"
}
# The bounds of a step are relative to the threshold of the alarm that triggers the policy.
step by-backlog MetricIntervalLowerBound=0,MetricIntervalUpperBound=1,ScalingAdjustment=0 \
  MetricIntervalLowerBound=1,MetricIntervalUpperBound=10,ScalingAdjustment=1 MetricIntervalLowerBound=10,ScalingAdjustment=2
step many MetricIntervalLowerBound=0,ScalingAdjustment=2
backlog=$(policy_arn by-backlog)
alarm $name-backlog 0 --alarm-actions "$backlog" --ok-actions "$backlog"
alarm $name-many 9 --alarm-actions "$(policy_arn many)"
await in_service $name 0
own groups

note "$images images"
"$python" "$here/images.py" "$folder/images" $images
run s3 cp --recursive --only-show-errors "$folder/images" s3://$bucket/images
machine_joined() { ! no_machines $name; }
await machine_joined
own nodes --cluster $name
classified() { [ "$(quiet s3 ls s3://$bucket/results/ | grep -c json)" -eq $images ]; }
await classified
run s3 cp --quiet --recursive s3://$bucket/results "$folder/results"
say "cat $folder/results/*-0[0-3].json"
for result in "$folder"/results/*-0[0-3].json; do cat "$result" && echo; done
for image in "$folder"/images/*.png; do
  file=$(basename "$image" .png)
  grep -q "\"label\": \"${file%-*}\"" "$folder/results/$file.json" || { echo "wrong: $(cat "$folder/results/$file.json")" && exit 1; }
done
echo "$images of $images images have the right label"

note "the queue is empty, and the machines go"
await in_service $name 0
await no_machines $name
own groups
own scaling --group $name
turn_off
