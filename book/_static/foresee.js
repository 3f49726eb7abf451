// How well a reader foresees: what stands in the record, added up, and a card of it to share. What was said before its
// output had been seen counts, under `first` of each prediction (`record.js`); what later tries became is no foresight.
// Ideas and habits are data of the page (`site_foresee.py`), titles of sections are those of `paths.js`.
(() => {
  "use strict";
  const { course, courseWay: way, markup } = window;
  const source = document.querySelector(".foresee-data");
  if (!source || !course) return;
  const data = JSON.parse(source.textContent);
  const ENOUGH = 5; // answers, before a share of them says anything
  const OF_AN_IDEA = 3; // the same of one idea
  const BLOCK = 10; // answers that are added up, over time
  const TWICE = 2; // what was done once is no habit
  const MOST = 3; // habits

  // -- what there is -----------------------------------------------------------------------------------------------

  const labelOf = (key) => key.replace(/-[0-9a-f]{6}(-\d+)?$/, "");
  /** The answers that were given first, in the order in which they were: { label, at, right, off, slips }. */
  const answers = (predictions) =>
    Object.entries(predictions)
      .flatMap(([key, { first }]) => (first?.of ?? []).map((one) => ({ label: labelOf(key), at: first.at, ...one })))
      .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  /** How many predictions an earlier edition has kept that no page has judged since. */
  const waiting = (predictions) => Object.values(predictions).filter(({ said, known }) => said && !known).length;

  const median = (numbers) => {
    const sorted = [...numbers].sort((a, b) => a - b);
    const middle = sorted.length / 2;
    return sorted.length ? (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2 : undefined;
  };
  /** Of some answers: how many were right, and how far off the numbers among them were, whichever way. */
  const score = (some) => {
    const offs = some.map(({ off }) => off).filter(Boolean);
    return {
      asked: some.length,
      right: some.filter(({ right }) => right).length,
      numbers: offs.length,
      off: median(offs.map((off) => Math.max(off, 1 / off))),
      low: offs.filter((off) => off < 1 / 1.05).length,
      high: offs.filter((off) => off > 1.05).length,
    };
  };
  const blocks = (some) => {
    const timed = some.filter(({ at }) => at);
    const starts = [...timed.keys()].filter((i) => i % BLOCK === 0);
    return starts.map((i) => timed.slice(i, i + BLOCK)).map((block, i) => ({ from: i * BLOCK + 1, begun: block[0].at, ended: block.at(-1).at, ...score(block) }));
  };
  const byIdea = (some) =>
    data.ideas.map(([idea, labels]) => ({ idea, ...score(some.filter(({ label }) => labels.includes(label))) })).filter(({ asked }) => asked);
  /** What a known mistake is a case of; one that is in no habit is one of its own section. */
  const habitOf = (label, slip) => {
    const found = data.habits.find(([, , shows]) => Object.hasOwn(shows, label) && shows[label].includes(slip));
    return found ? { words: found[0], mends: found[1] } : { words: "", mends: label };
  };
  const habits = (some) => {
    const counts = new Map();
    for (const { label, slips = [] } of some) {
      // What is marked wrongly in one list is one mistake.
      for (const one of new Map(slips.map((slip) => habitOf(label, slip)).map((habit) => [habit.words || habit.mends, habit])).values()) {
        const id = one.words || one.mends;
        counts.set(id, { ...one, count: (counts.get(id)?.count ?? 0) + 1 });
      }
    }
    return [...counts.values()].filter(({ count }) => count >= TWICE).sort((a, b) => b.count - a.count).slice(0, MOST);
  };

  // -- in words ----------------------------------------------------------------------------------------------------

  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const per = ({ right, asked }) => `${Math.round((100 * right) / asked)} %`;
  const rounded = (off) => Number(off.toPrecision(2)).toLocaleString("en");
  const day = (time) => new Date(time).toLocaleDateString("en", { day: "numeric", month: "short" });
  const made = (tag, attributes = {}, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const line = (...words) => made("p", {}, ...words);
  const list = (tag, items) => made(tag, {}, ...items.map((words) => made("li", {}, ...words)));
  /** A bar is for the eye: the numbers stand beside it. */
  const bar = (one) => made("span", { class: "foresee-bar", "aria-hidden": "true", style: `--share: ${one.right / one.asked}` });
  const table = (heads, rows) => {
    const head = made("thead", {}, made("tr", {}, ...heads.map((words) => made("th", { scope: "col" }, words))));
    const body = rows.map(([name, ...cells]) => made("tr", {}, made("th", { scope: "row" }, name), ...cells.map((cell) => made("td", {}, ...[cell].flat()))));
    return made("div", { class: "foresee-table" }, made("table", {}, head, made("tbody", {}, ...body)));
  };
  const outOf = (one) => [bar(one), ` ${one.right} of ${one.asked}`];
  const offIn = ({ off }) => (off ? `× ${rounded(off)}` : "–");

  /** How numbers miss, if they miss more often one way. */
  const bias = ({ low, high }) => {
    const [fewer, most] = [low, high].sort((a, b) => a - b);
    if (most < 3 || most < 2 * fewer) return "";
    return ` Of those that were off, ${most} of ${low + high} were too ${low > high ? "small" : "large"}.`;
  };
  const numbersOf = (all) => {
    if (all.numbers < OF_AN_IDEA) return `From ${OF_AN_IDEA} numbers on, this page says how far off they are. You have written ${all.numbers || "none"}.`;
    const half = all.off < 1.05 ? "Half of your numbers are as the run says" : `Half of your numbers are within a factor of ${rounded(all.off)}`;
    return `${half}. You have written ${all.numbers}.${bias(all)}`;
  };

  const sum = (all, open) => {
    const earlier = open === 1 ? "1 earlier prediction is not in it yet. Open its lesson, and it counts." : `${open} earlier predictions are not in it yet. Open their lessons, and they count.`;
    const rest = open ? [line(earlier)] : [];
    if (!all.asked) return [line("You have not predicted anything yet. Each box named ", made("em", {}, "Predict"), " counts from your first answer on."), ...rest];
    const share = made("p", { class: "foresee-sum" }, made("strong", {}, `${all.right} of ${all.asked}`), ` answers as the run says${all.asked < ENOUGH ? "" : `, ${per(all)}`}`);
    const few = all.asked < ENOUGH ? [line(`A percentage needs ${ENOUGH - all.asked} more.`)] : [];
    return [share, ...few, line(numbersOf(all)), ...rest];
  };
  const ideas = (all) => {
    const [known, few] = [all.filter(({ asked }) => asked >= OF_AN_IDEA), all.filter(({ asked }) => asked < OF_AN_IDEA)];
    const rows = known.sort((a, b) => a.right / a.asked - b.right / b.asked).map((one) => [one.idea, outOf(one), offIn(one)]);
    const names = few.map(({ idea, asked }) => `${idea} (${asked})`).join("; ");
    return [
      ...(rows.length ? [table(["Idea", "As the run says", "Off by"], rows)] : []),
      ...(names ? [line(`Too few answers yet: ${names}.`)] : []),
      ...(all.length ? [] : [line("Nothing yet.")]),
    ];
  };
  const time = (all) => {
    const whole = all.filter(({ asked }) => asked === BLOCK);
    if (whole.length < 2) return [line(`From ${2 * BLOCK} answers on, this compares the first ${BLOCK} with those that follow. So far, there are ${all.reduce((n, { asked }) => n + asked, 0) || "none"}.`)];
    const numbered = ({ from, asked }) => (asked === 1 ? `${from}` : `${from} to ${from + asked - 1}`);
    const when = ({ begun, ended }) => (day(begun) === day(ended) ? day(begun) : `${day(begun)} to ${day(ended)}`);
    return [table(["Answers", "When", "As the run says", "Off by"], all.map((one) => [numbered(one), when(one), outOf(one), offIn(one)]))];
  };
  /** The way to a section; of one that is not taught here, nothing. */
  const mended = ({ mends }) => {
    const stop = way?.section(mends);
    return stop ? [way.linked(stop), `, ${counted(Math.ceil(stop.minutes), "minute")}`] : [];
  };
  const habit = (one) => {
    const to = mended(one);
    const often = made("strong", {}, `${one.count} times`);
    if (!one.words) return [often, ": a mistake that its own section explains. ", ...(to.length ? ["Read it again: ", ...to, "."] : [])];
    return [often, ": ", ...markup.nodes(one.words), ...(to.length ? [" Read ", ...to, "."] : [])];
  };
  const mistakes = (all, asked) => {
    if (all.length) return [list("ol", all.map(habit))];
    return [line(asked ? "No known mistake of yours has come twice. Once is no habit." : "Nothing yet.")];
  };

  // -- a card ------------------------------------------------------------------------------------------------------

  const ends = (all) => {
    const known = all.filter(({ asked }) => asked >= OF_AN_IDEA).sort((a, b) => b.right / b.asked - a.right / a.asked);
    return known.length > 1 ? { best: known[0], least: known.at(-1) } : {};
  };
  const linesOf = (all, { best, least }) =>
    [
      `I foresaw ${all.right} of ${all.asked} answers before the code ran: ${per(all)}.`,
      all.numbers >= OF_AN_IDEA && `Half of my numbers were within a factor of ${rounded(Math.max(all.off, 1))}.`,
      best && `Best: ${best.idea}, ${best.right} of ${best.asked}.`,
      least && `To learn: ${least.idea}, ${least.right} of ${least.asked}.`,
    ].filter(Boolean);
  const textOf = (lines) => [...lines, [data.title, data.site].filter(Boolean).join(", ")].join("\n");

  const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
  const SIZE = { width: 800, height: 420 };
  const COLOURS = { ground: "#12161f", text: "#ffffff", pale: "#c6ccd8", share: "#2fb8ac", rest: "#39415280" };
  /** The card as SVG: of texts and boxes alone, so that it looks the same wherever it is opened. */
  const svgOf = (all, lines) => {
    const text = (x, y, size, colour, words, more = "") => `<text x="${x}" y="${y}" font-size="${size}" fill="${colour}"${more}>${escaped(words)}</text>`;
    const box = (width, colour) => `<rect x="48" y="176" width="${width}" height="16" rx="8" fill="${colour}"/>`;
    const rest = lines.slice(1).map((words, i) => text(48, 246 + 36 * i, 22, COLOURS.pale, words));
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}" viewBox="0 0 ${SIZE.width} ${SIZE.height}" ` +
      `role="img" aria-label="${escaped(lines.join(" "))}" font-family="system-ui, sans-serif">` +
      `<rect width="${SIZE.width}" height="${SIZE.height}" fill="${COLOURS.ground}"/>` +
      text(48, 66, 24, COLOURS.pale, "How well do I foresee what my code prints?") +
      text(48, 146, 64, COLOURS.text, `${all.right} of ${all.asked}`, ' font-weight="700"') +
      text(752, 146, 40, COLOURS.share, per(all), ' font-weight="700" text-anchor="end"') +
      box(704, COLOURS.rest) + (all.right ? box(Math.max(16, Math.round((704 * all.right) / all.asked)), COLOURS.share) : "") +
      rest.join("") + text(48, 384, 20, COLOURS.pale, [data.title, data.site].filter(Boolean).join(", ")) + "</svg>"
    );
  };

  const download = (blob, name) => {
    const link = made("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  /** A picture of an SVG, twice as large as it says, drawn in this browser. */
  const drawn = async (svg) => {
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await picture.decode();
    const canvas = made("canvas", { width: 2 * SIZE.width, height: 2 * SIZE.height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };
  const copied = async (area) => {
    area.select();
    try {
      await navigator.clipboard.writeText(area.value);
      return "Copied.";
    } catch {
      return "The browser forbids it. The text is marked: copy it yourself.";
    }
  };
  const card = (all, known) => {
    if (all.asked < ENOUGH) return [line(`From ${ENOUGH} answers on, there is a card to share. It needs ${ENOUGH - all.asked} more.`)];
    const lines = linesOf(all, ends(known));
    const svg = svgOf(all, lines);
    const area = made("textarea", { readonly: "", rows: lines.length + 1, "aria-label": "The card as text" }, textOf(lines));
    const picture = made("div", { class: "foresee-card" });
    picture.innerHTML = svg;
    const says = made("span", { role: "status" });
    const button = (words, act) => {
      const one = made("button", { type: "button", class: "course-button course-button-plain" }, words);
      one.addEventListener("click", async () => (says.textContent = (await act()) ?? "Saved."));
      return one;
    };
    const buttons = [
      button("Copy the text", () => copied(area)),
      button("Save as SVG", () => download(new Blob([svg], { type: "image/svg+xml" }), "foresight.svg")),
      button("Save as PNG", async () => download(await drawn(svg), "foresight.png")),
    ];
    return [picture, area, made("p", { class: "foresee-buttons" }, ...buttons, says)];
  };

  // -- together ----------------------------------------------------------------------------------------------------

  const show = () => {
    const predictions = course.all("predictions");
    const first = answers(predictions);
    const [all, known] = [score(first), byIdea(first)];
    const parts = {
      sum: sum(all, waiting(predictions)),
      ideas: ideas([...known]),
      time: time(blocks(first)),
      habits: mistakes(habits(first), all.asked),
      card: card(all, known),
    };
    for (const [name, content] of Object.entries(parts)) document.querySelector(`.foresee-${name}-here`).replaceChildren(...content);
  };
  show();
  document.addEventListener("course:change", show);
})();
