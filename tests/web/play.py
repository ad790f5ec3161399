"""What happens in front of the pages: a scripted game with a foul in it, pictures of it, and what a page looks like to axe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from hall import Hall
from playwright.sync_api import Page
from table_script import Script

from table_engine.wire.seats import Seat

S0, S1, S2, S3 = Seat
_WATCH = """() => {
  // Every picture the player shows from now on: how much is in it, and a sum that tells one from another.
  const frames = (window.frames_ = []), figure = document.querySelector('.player figure');
  const canvas = document.createElement('canvas'), paint = canvas.getContext('2d', { willReadFrequently: true });
  const look = () => {
    const image = figure.querySelector('img');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    paint.drawImage(image, 0, 0);
    const { data } = paint.getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0, low = 255, high = 0;
    for (let n = 0; n < data.length; n += 4) {
      sum = (sum * 31 + data[n]) % 1000000007;
      low = Math.min(low, data[n]);
      high = Math.max(high, data[n]);
    }
    frames.push({ sum, contrast: high - low, at: image.src.split('/').pop() });
  };
  new MutationObserver(look).observe(figure, { childList: true });
}"""
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")


class Game:
    """A table at which seat 1 breaks a rule, move by move."""

    def __init__(self, hall: Hall, ruleset: str = "riichi") -> None:
        self.hall = hall
        self.script = Script(ruleset=ruleset)
        self._sent: set[str] = set()

    def send(self) -> None:
        new = [envelope for envelope in self.script.stream() if envelope.id not in self._sent]
        self._sent |= {envelope.id for envelope in new}
        self.hall.say("table-1", new)

    def begin(self) -> None:
        self.script.build(S0)
        self.script.deal(S0)
        self.script.discard(S0, "1z")
        self.script.wait(2_000)
        self.send()
        self.hall.until(lambda: self.hall.hub.parts("table-1").get("view"))

    def foul(self) -> Any:
        """Seat 1 holds one too many; → the alert."""
        self.script.draw(S1)
        self.script.draw(S1)
        self.script.discard(S1, "2z")
        self.script.draw(S2)
        self.script.discard(S2, "3z")
        return self._told(3_000)

    def foul_from_the_deal(self) -> Any:
        """Begins a hand in which seat 1 then holds one too many; → the alert."""
        self.begin()
        return self.foul()

    def early(self) -> Any:
        """Seat 2 draws before seat 1 has discarded; → the alert."""
        self.script.draw(S1)
        self.script.draw(S2)
        self.script.wait(900)
        self.script.discard(S1, "2z")
        self.script.discard(S2, "3z")
        self.script.draw(S3)
        self.script.discard(S3, "4z")
        return self._told(6_000)

    def _told(self, after_ms: int) -> Any:
        self.script.wait(after_ms)
        self.send()
        return self.hall.until(lambda: [a for a in self.hall.alerts() if a.state == "open"])[0]


def pictures(hall: Hall, alert: Any) -> None:
    """What a camera writes when it is asked for an alert's pictures."""
    folder = hall.site.data / "evidence" / "table-1" / alert.id / "cam"
    folder.mkdir(parents=True)
    for n in range(-6, 7):
        image = np.full((270, 480, 3), (60, 90, 40), np.uint8)
        cv2.circle(image, (240 + 30 * n, 135), 20, (255, 255, 255), -1)
        cv2.imwrite(str(folder / f"{alert.at_ms + 200 * n}.jpg"), image)


def play_clip(page: Page) -> None:
    """Starts the clip of the case that is open, and notes every picture it shows from then on."""
    page.wait_for_selector(".player")
    page.evaluate(_WATCH)
    page.get_by_role("button", name="▶ Play").click()


def clip_shows(until: Callable[..., Any], page: Page, different: int) -> list[dict[str, Any]]:
    """Waits for so many different pictures of a clip that plays; → all that were shown: `at` its file, `sum` of its pixels,
    `contrast` between the darkest and the brightest."""
    shown = "new Set(frames_.map((frame) => frame.at)).size"
    until(lambda: page.evaluate(shown) >= different, 120)
    return page.evaluate("frames_")


def serious(page: Page) -> list[str]:
    """Serious and critical findings of axe-core on the page as it is."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:160]} ({one['nodes'][0]['failureSummary'][:300]})"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
