// Acts on their way to the engine. Each has a name of its own, so one that is sent again after a broken line counts once.

import { say } from "/static/kit.js";
import { Refusal, send } from "/static/link.js";
import { t } from "/static/words.js";

const AGAIN_MS = 1500;
const PATIENCE_MS = 120000;
const name = () => `web-${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(2)).join("")}`;

// Resolves to the engine's answer; null when the server refuses it. Tries again for two minutes while nobody answers.
export const act = async (table, did, done = "") => {
  const id = name();
  const until = Date.now() + PATIENCE_MS;
  let told = false;
  for (;;) {
    try {
      const answer = await send(`/api/tables/${encodeURIComponent(table)}/acts`, { id, did });
      if (answer.ok) { if (done) say(done); } else say(answer.error, "bad");
      return answer;
    } catch (error) {
      if ((error instanceof Refusal && error.status !== 503) || Date.now() > until) {
        say(error.message, "bad");
        return null;
      }
      if (!told) say(t("act.waits"), "bad");
      told = true;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
};
