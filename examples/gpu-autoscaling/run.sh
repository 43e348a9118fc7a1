#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A service that follows the utilization of its GPUs, on machines that follow the service. README.md explains the steps.
#
#   SHORT=1   ends when the service is back at one task, without waiting for its machines
. "$(dirname "$0")/../session.sh"
here=$root/examples/gpu-autoscaling
name=gpu-autoscaling
bucket=$name-example
target=(--service-namespace ecs --resource-id "service/$name/inference" --scalable-dimension ecs:service:DesiredCount)

turn_off() {
  note "everything is turned off"
  run application-autoscaling deregister-scalable-target "${target[@]}"
  run ecs delete-service --cluster $name --service inference --force --query service.status
  await no_tasks $name
  run ecs put-cluster-capacity-providers --cluster $name --capacity-providers --default-capacity-provider-strategy --query cluster.status
  run ecs delete-capacity-provider --capacity-provider $name --query capacityProvider.status
  run autoscaling delete-auto-scaling-group --auto-scaling-group-name $name --force-delete
  await no_machines $name
  run ecs delete-cluster --cluster $name --query cluster.status
  run ec2 delete-launch-template --launch-template-name $name --query LaunchTemplate.LaunchTemplateName
  run ecs deregister-task-definition --task-definition "$definition" --query taskDefinition.status
  run s3 rm --recursive --quiet s3://$bucket
  run s3 rb s3://$bucket
}

diagnose() {
  own explain service inference --cluster $name
  own explain group $name
}

start --no-agent --pool-gpus "$(gpus 3xT4)" --pool-driver process --tracking-period 10s

note "a group of up to three GPU machines, none at first, and a cluster that makes it grow: a capacity provider"
run ecs create-cluster --cluster-name $name --query cluster.status
ami=$(quiet ec2 describe-images --owners amazon --filters 'Name=name,Values=amzn2-ami-ecs-gpu-*' --query 'Images[0].ImageId' --output text)
user_data=$(printf '#!/bin/bash\necho ECS_CLUSTER=%s >> /etc/ecs/ecs.config\n' $name | base64 -w 0)
run ec2 create-launch-template --launch-template-name $name --query LaunchTemplate.LaunchTemplateId --launch-template-data \
  '{"ImageId": "'"$ami"'", "InstanceType": "g4dn.xlarge", "UserData": "'"$user_data"'"}'
run autoscaling create-auto-scaling-group --auto-scaling-group-name $name --min-size 0 --max-size 3 \
  --launch-template LaunchTemplateName=$name --availability-zones "${AWS_DEFAULT_REGION}a"
group_arn=$(quiet autoscaling describe-auto-scaling-groups --auto-scaling-group-names $name \
  --query 'AutoScalingGroups[0].AutoScalingGroupARN' --output text)
run ecs create-capacity-provider --name $name --query capacityProvider.status --auto-scaling-group-provider \
  "autoScalingGroupArn=$group_arn,managedScaling={status=ENABLED,targetCapacity=100,instanceWarmupPeriod=0}"
run ecs put-cluster-capacity-providers --cluster $name --capacity-providers $name \
  --default-capacity-provider-strategy capacityProvider=$name,weight=1 --query cluster.status

note "a service with a GPU for each task"
run s3 mb s3://$bucket
container='{"name": "main", "image": "process", "memory": 512, "command": ["'$python'", "'$here/inference.py'"], "stopTimeout": 2,
  "environment": [{"name": "BUCKET", "value": "'$bucket'"}], "resourceRequirements": [{"type": "GPU", "value": "1"}]}'
run ecs register-task-definition --family $name --task-role-arn "arn:aws:iam::$account:role/inference" \
  --container-definitions "[$container]" --query taskDefinition.taskDefinitionArn
definition=$(quiet ecs describe-task-definition --task-definition $name --query taskDefinition.taskDefinitionArn --output text)
run ecs create-service --cluster $name --service-name inference --task-definition "$definition" --desired-count 1 \
  --query service.status
echo 50 > "$folder/load"
say "echo 50 > $folder/load; $here/stress.py $name inference $bucket $folder/load &"
background stress "$python" "$here/stress.py" $name inference $bucket "$folder/load"

note "one to three tasks, so that their GPUs are busy for 75 % of the time"
run application-autoscaling register-scalable-target "${target[@]}" --min-capacity 1 --max-capacity 3
run application-autoscaling put-scaling-policy "${target[@]}" --policy-name gpu-75 --policy-type TargetTrackingScaling \
  --query 'Alarms[].AlarmName' --target-tracking-scaling-policy-configuration '{"TargetValue": 75, "ScaleInCooldown": 0,
  "ScaleOutCooldown": 0, "CustomizedMetricSpecification": {"Namespace": "ECS/ContainerInsights/Prometheus",
    "MetricName": "DCGM_FI_DEV_GPU_UTIL", "Statistic": "Average", "Dimensions": [
      {"Name": "ClusterName", "Value": "'$name'"}, {"Name": "ServiceName", "Value": "inference"}]}}'
await service_runs $name inference 1
own services --cluster $name
own groups

note "more load than one GPU can take, or two"
say "echo 210 > $folder/load"
echo 210 > "$folder/load"
own explain policy gpu-75
await service_runs $name inference 3
shared_by_three() { grep -q ' 3 GPUs' "$folder/stress.log"; }
await shared_by_three
own services --cluster $name
own nodes --cluster $name
own gpus --cluster $name

note "less load: after two and a half quiet minutes tasks go, and after as many again their machines"
say "echo 30 > $folder/load"
echo 30 > "$folder/load"
await service_runs $name inference 1
own scaling --service $name/inference
if [ -z "${SHORT:-}" ]; then
  await in_service $name 1
  own groups
fi
own scaling
say "cat $folder/stress.log"
cat "$folder/stress.log"
turn_off
