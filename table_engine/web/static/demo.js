// The demo's panel: asks a virtual player to break a rule or spoils a sensor.

const GROUPS = [
  ["A player…", [
    ["takes two tiles", { act: "foul", foul: "too_many" }],
    ["discards without drawing", { act: "foul", foul: "too_few" }],
    ["draws before the discard", { act: "foul", foul: "draw_early" }],
    ["draws out of turn", { act: "foul", foul: "draw_out_of_turn" }],
    ["draws from the wrong end", { act: "foul", foul: "draw_wrong_end" }],
    ["calls in the last tiles", { act: "foul", foul: "late_call" }],
  ]],
  ["The camera…", [
    ["is covered for 5 s", { act: "camera", fault: "cover", seconds: 5 }],
    ["gets little light for 8 s", { act: "camera", fault: "dim", seconds: 8 }],
  ]],
  ["The cable…", [["is unplugged for 5 s", { act: "serial", fault: "unplug", seconds: 5 }]]],
  ["Kill the process of the…", ["engine", "vision", "bridge", "broker"].map((name) => [name, { act: "kill", process: name }])],
];

const ask = async (body, say) => {
  try {
    const answer = await fetch("/api/demo", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = await answer.json();
    say(answer.ok ? told.says : told.error);
  } catch {
    say("the server does not answer just now");
  }
};

export const acts = (say) => GROUPS.map(([legend, buttons]) => {
  const group = document.createElement("fieldset");
  const title = document.createElement("legend");
  title.textContent = legend;
  group.append(title, ...buttons.map(([text, body]) => {
    const button = document.createElement("button");
    button.textContent = text;
    button.dataset.act = body.foul ?? body.fault ?? body.process;
    button.onclick = () => ask(body, say);
    return button;
  }));
  return group;
});
