"""The training loop all nets share: one-cycle learning rate, averaged weights, checkpoints that it resumes from."""

from __future__ import annotations

import argparse
import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

log = logging.getLogger("train")
Batch = tuple[Tensor, ...]
Loss = Callable[[Any, Batch], tuple[Tensor, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps` in all; the checkpoint lies at `out`, written every `every` steps. The rate falls to nothing at `horizon`."""

    out: Path
    steps: int
    rate: float
    horizon: int
    every: int = 200
    decay: float = 0.998
    """Of the averaged weights, which are the ones to ship."""


def options(purpose: str | None, *, steps: int, batch: int) -> argparse.ArgumentParser:
    """What every training is told on its command line."""
    ask = argparse.ArgumentParser(description=purpose)
    ask.add_argument("--data", type=Path, help="folder that holds `photos`")
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=steps)
    ask.add_argument("--horizon", type=int, help="steps the learning rate is planned for, when a run is done in parts")
    ask.add_argument("--batch", type=int, default=batch)
    ask.add_argument("--rate", type=float, default=2e-3)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--threads", type=int, default=1)
    return ask


def begin(told: argparse.Namespace) -> Plan:
    """Log, threads and seed as told; the plan."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(told.threads)
    torch.manual_seed(told.seed)
    return Plan(told.out, told.steps, told.rate, told.horizon or told.steps)


def train(net: nn.Module, batches: Iterator[Batch], loss: Loss, plan: Plan) -> None:
    """Trains to `plan.steps`, going on from the checkpoint when there is one. bfloat16 where the processor has it."""
    net = net.to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(plan.decay), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=0.01)
    step = 0
    if plan.out.exists():
        saved = torch.load(plan.out, weights_only=True)
        net.load_state_dict(saved["net"])
        average.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        step = int(saved["step"])
        log.info("resumed at step %d", step)
    net.train()
    means: dict[str, float] = {}
    began = time.monotonic()
    while step < plan.steps:
        batch = next(batches)
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * schedule(step / plan.horizon)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(batch[0].contiguous(memory_format=torch.channels_last))
        total, parts = loss(out, batch)
        optimiser.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        step += 1
        for name, value in parts.items():
            means[name] = 0.97 * means.get(name, value) + 0.03 * value
        if step % 50 == 0:
            said = " ".join(f"{name} {value:.4f}" for name, value in means.items())
            log.info("step %d of %d, %.2f s/step: %s", step, plan.steps, (time.monotonic() - began) / 50, said)
            began = time.monotonic()
        if step % plan.every == 0 or step == plan.steps:
            save(
                plan.out,
                {
                    "net": net.state_dict(),
                    "average": average.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "step": step,
                },
            )


def schedule(done: float) -> float:
    """Share of the top learning rate when `done` (0..1) of the steps are behind: a short rise, then half a cosine."""
    rise = 0.05
    return done / rise + 0.02 if done < rise else 0.5 * (1 + math.cos(math.pi * (done - rise) / (1 - rise))) + 0.002


def save(path: Path, state: dict[str, object]) -> None:
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


def averaged(net: nn.Module, checkpoint: Path, earlier: Path | None = None, share: float = 1.0) -> nn.Module:
    """The net with the averaged weights of a checkpoint, ready to be used; `share` of them and the rest of an `earlier` one's of
    the same training, when there is one: what lies between two is often better at what either has hardly seen."""
    state = _weights(checkpoint)
    if earlier is not None:
        before = _weights(earlier)
        state = {
            name: share * value + (1 - share) * before[name] if value.is_floating_point() else value
            for name, value in state.items()
        }
    net.load_state_dict(state)
    return net.eval()


def _weights(checkpoint: Path) -> dict[str, Tensor]:
    saved = torch.load(checkpoint, weights_only=True)
    return {
        name.removeprefix("module."): value for name, value in saved["average"].items() if name.startswith("module.")
    }
