// The console's sound and vibration, and what is muted. Remembered in this browser, the same in all its windows.

import { remember, remembered } from "/static/words.js";

const TONES = { foul: [[880, 0], [660, 0.18], [880, 0.36]], check: [[587, 0]] };

const kept = () => {
  try { return new Set([JSON.parse(remembered("mutes") ?? "[]")].flat().map(String)); } catch { return new Set(); }
};

export class Bell {
  constructor() {
    this.on = remembered("sound") !== "off";
    this.mutes = kept();
    addEventListener("storage", () => { this.on = remembered("sound") !== "off"; this.mutes = kept(); this.onchange?.(); });
    addEventListener("pointerdown", () => this.wake(), { once: true });
    addEventListener("keydown", () => this.wake(), { once: true });
  }
  wake() { this.audio ??= new AudioContext(); this.audio.resume(); }
  toggle() { this.on = !this.on; remember("sound", this.on ? "on" : "off"); if (this.on) { this.wake(); this.ring("check"); } }
  setMutes(names) { this.mutes = new Set(names); remember("mutes", JSON.stringify(names)); }
  muted(table, code) { return this.mutes.has(`table:${table}`) || this.mutes.has(`code:${code}`); }
  ring(severity) {
    if (!this.on) return;
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(severity === "foul" ? [180, 80, 180] : [120]);
    if (this.audio?.state !== "running") return;
    for (const [pitch, delay] of TONES[severity]) {
      const tone = this.audio.createOscillator(), volume = this.audio.createGain(), begin = this.audio.currentTime + delay;
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(0.3, begin + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.16);
      tone.connect(volume).connect(this.audio.destination);
      tone.start(begin);
      tone.stop(begin + 0.17);
    }
  }
}
