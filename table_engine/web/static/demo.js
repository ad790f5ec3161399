// The demo's panel: asks a virtual player to break a rule or spoils a sensor.

import { h } from "/static/kit.js";
import { send } from "/static/link.js";
import { t } from "/static/words.js";

const foul = (name) => [name, { act: "foul", foul: name }];
const GROUPS = [
  ["player", ["too_many", "too_few", "draw_early", "draw_out_of_turn", "draw_wrong_end", "late_call"].map(foul)],
  ["camera", [["cover", { act: "camera", fault: "cover", seconds: 5 }], ["dim", { act: "camera", fault: "dim", seconds: 8 }]]],
  ["tiles", [["lay", { act: "tiles", lay: true }], ["turn", { act: "tiles", lay: true, turned: true }], ["clear", { act: "tiles", lay: false }]]],
  ["cable", [["unplug", { act: "serial", fault: "unplug", seconds: 5 }]]],
  ["kill", ["engine", "vision", "bridge", "broker"].map((name) => [name, { act: "kill", process: name }])],
];

export const acts = (say, table) => GROUPS.map(([group, buttons]) => h("fieldset", {},
  h("legend", { text: t(`demo.${group}`) }),
  buttons.map(([name, body]) => h("button", { text: t(`demo.${name}`), data: { act: name }, onclick: async () => {
    try { say((await send("/api/demo", { ...body, table })).says); } catch (error) { say(error.message); }
  } }))));
