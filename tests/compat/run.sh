#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The compatibility tests, with all installed stock clients: Debian's boto3 and awscli (the query
# protocol), a newer boto3 if `python3` has one (JSON), the AWS SDK for JavaScript (JSON).
# Arguments go to pytest. STOKER_BIN selects the program; STOKER_COMPAT_ENDPOINT=amazon runs them against Amazon.
set -uo pipefail
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1 AWS_EC2_METADATA_DISABLED=true NODE_NO_WARNINGS=1
[ "${STOKER_COMPAT_ENDPOINT:-}" = amazon ] || unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL
failed=0

services=(sqs sts ecs s3 cloudwatch logs events ec2 autoscaling application_autoscaling pipelines ssm)
/usr/bin/python3 -m pytest -q -p no:cacheprovider "${services[@]}" "$@" || failed=1
../support/new_pytest.sh -q -p no:cacheprovider "${services[@]}" "$@" || failed=1

cd js
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error || exit 1
server=(/usr/bin/python3 ../../support/with_server.py)
[ "${STOKER_COMPAT_ENDPOINT:-}" = amazon ] && server=()
"${server[@]}" node --test --test-reporter=spec . || failed=1
exit $failed
