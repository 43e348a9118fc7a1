#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training: each process has a GPU and a part of the samples, and the gradients are summed by MPI.

The model is a linear regression with known weights, so that the result can be checked. With torch the gradient is
computed on the process's GPU.

  EPOCHS, RATE     number of passes over the samples (60), learning rate (0.6)
  BUCKET, RESULT   where the first process stores the result
"""
import json
import os
import random
import subprocess

import mpi

WANTED = [0.5, -1.5, 2.0, 0.25]  # the weights that the training has to find
SAMPLES = 400  # of all processes together


def choose_gpu(rank, size):
    """Hides all GPUs but one of the task's from this process: libraries of CUDA read the variable when they start."""
    gpus = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
    assert len(gpus) == size, f"{size} processes and {len(gpus)} GPUs"
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["NVIDIA_VISIBLE_DEVICES"] = gpus[rank]
    seen = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"rank {rank} of {size} uses {seen}", flush=True)
    return gpus


def samples(rank, size):
    dice = random.Random(rank)
    inputs = [[dice.uniform(-1, 1) for _ in WANTED] for _ in range(SAMPLES // size)]
    return inputs, [sum(w * x for w, x in zip(WANTED, row)) for row in inputs]


def gradient_function(inputs, targets):
    """From weights to the gradient of this process's samples, and their loss as the last value."""
    try:
        import torch
        device = "cuda" if torch.cuda.is_available() else "cpu"
    except ImportError:
        def plain(weights):
            errors = [sum(w * x for w, x in zip(weights, row)) - y for row, y in zip(inputs, targets)]
            slope = [2 * sum(e * row[i] for e, row in zip(errors, inputs)) for i in range(len(weights))]
            return slope + [sum(e * e for e in errors)]
        return plain
    x, y = (torch.tensor(values, dtype=torch.float64, device=device) for values in (inputs, targets))

    def on_device(weights):
        errors = x @ torch.tensor(weights, dtype=torch.float64, device=device) - y
        return (2 * errors @ x).tolist() + [float(errors @ errors)]
    return on_device


def train(rank, size, epochs, rate):
    inputs, targets = samples(rank, size)
    gradient = gradient_function(inputs, targets)
    count = mpi.sum_over_ranks([len(inputs)])[0]
    weights, loss = [0.0] * len(WANTED), None
    for epoch in range(1, epochs + 1):
        *slope, squares = mpi.sum_over_ranks(gradient(weights))
        weights = [w - rate * s / count for w, s in zip(weights, slope)]
        loss = squares / count
        if rank == 0 and epoch % (epochs // 4) == 0:
            print(f"epoch {epoch} loss {loss:.1e}", flush=True)
    return weights, loss


def main():
    rank, size = mpi.start()
    gpus = choose_gpu(rank, size)
    epochs, rate = int(os.environ.get("EPOCHS", "60")), float(os.environ.get("RATE", "0.6"))
    weights, loss = train(rank, size, epochs, rate)
    if rank != 0:
        return
    import boto3
    s3 = boto3.client("s3", endpoint_url=os.environ.get("AWS_ENDPOINT_URL"))
    result = {"gpus": gpus, "epochs": epochs, "loss": loss, "weights": [round(w, 3) for w in weights]}
    s3.put_object(Bucket=os.environ["BUCKET"], Key=os.environ["RESULT"], Body=json.dumps(result))
    print(f"stored s3://{os.environ['BUCKET']}/{os.environ['RESULT']}", flush=True)


main()
