// Asks for the status every two seconds and draws it. Text is set as text: names come from other machines.
"use strict";
const LENGTH = 300; // ten minutes
const history = { speed: [], queue: [] };

function row(cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) tr.appendChild(document.createElement("td")).textContent = cell;
  return tr;
}

function draw(id, value) {
  const values = history[id];
  values.push(value);
  if (values.length > LENGTH) values.shift();
  const top = Math.max(1, ...values);
  const points = values.map((v, i) => `${(600 * (LENGTH - values.length + i)) / (LENGTH - 1)},${118 - (100 * v) / top}`);
  const svg = document.getElementById(id);
  const line = document.createElementNS(svg.namespaceURI, "polyline");
  line.setAttribute("points", points.join(" "));
  const label = document.createElementNS(svg.namespaceURI, "text");
  label.setAttribute("x", 4);
  label.setAttribute("y", 14);
  label.textContent = `${value} (highest ${top})`;
  svg.replaceChildren(line, label);
}

function duration(seconds) {
  const minutes = Math.ceil(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
}

async function update() {
  const summary = document.getElementById("summary");
  try {
    const answer = await fetch("status.json");
    if (!answer.ok) throw new Error(await answer.text());
    const s = await answer.json();
    const left = s.seconds_left === null ? "" : `, about ${duration(s.seconds_left)} left`;
    summary.textContent = `${s.workers.length} workers, ${s.done} games done, ${s.running} under way, ${s.queued} waiting, ${s.failed} failed${left}`;
    draw("speed", s.per_minute);
    draw("queue", s.queued);
    const run = (r) => [r.run, r.title, r.done, r.planned, r.failed, r.per_minute, r.silent > 60 ? `${r.coordinator}, silent for ${r.silent} s` : r.coordinator];
    document.getElementById("runs").replaceChildren(...s.runs.map((r) => row(run(r))));
    document.getElementById("workers").replaceChildren(...s.workers.map((w) => row([w.name, w.cores, w.running, w.games, w.state])));
  } catch (error) {
    summary.textContent = `No news: ${error.message}`;
  }
}
update();
setInterval(update, 2000);
