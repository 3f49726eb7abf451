// Where do I begin? One question after the other, each a single entry of an exercise; right ones make sections known. What
// is asked stands as JSON beside the list of questions, which is there for who runs no script, and for paper.
//   coursePlacement.walk(questions, answers)   the next question of a block, and how many were wrong: { next, wrong }
//   coursePlacement.unlocked(blocks, answers)  the labels of the sections that right answers make known
//   coursePlacement.advised(advice, isKnown)   the first advice that fits what is known
// `answers` is a Map of questions: true for right, false for anything else.
window.coursePlacement = (() => {
  "use strict";
  const WRONG = 2; // wrong answers end a block

  // -- what follows from answers -----------------------------------------------------------------------------------

  const walk = (questions, answers) => {
    let wrong = 0;
    for (const question of questions) {
      for (const one of [question, question.easier].filter(Boolean)) {
        if (!answers.has(one)) return { next: one, wrong };
        if (answers.get(one)) break;
        wrong += 1;
        if (wrong === WRONG) return { next: null, wrong };
      }
    }
    return { next: null, wrong };
  };
  const chain = (question) => (question.easier ? [question, question.easier] : [question]);
  /** A question that was answered well, and the easier one behind it, which counts as known with it. */
  const unlockedBy = (question, answers) => {
    const questions = chain(question);
    const first = questions.findIndex((one) => answers.get(one));
    return first < 0 ? [] : questions.slice(first).flatMap(({ unlocks }) => unlocks);
  };
  const unlocked = (blocks, answers) => [
    ...new Set(blocks.flatMap(({ questions }) => questions.flatMap((one) => unlockedBy(one, answers)))),
  ];
  const advised = (advice, isKnown) => advice.find(({ knows }) => knows.every(isKnown)) ?? null;
  const most = ({ questions }) => questions.length + (questions.some(({ easier }) => easier) ? 1 : 0);
  /** How many questions may still come, the next one included. */
  const toCome = (blocks, answers) =>
    blocks.reduce((sum, block) => {
      const { next, wrong } = walk(block.questions, answers);
      if (!next) return sum;
      const left = block.questions.filter((one) => chain(one).every((each) => !answers.has(each)));
      const isSecond = block.questions.some(({ easier }) => easier === next);
      return sum + left.length + (isSecond ? 1 : 0) + (wrong === 0 && left.some(({ easier }) => easier) ? 1 : 0);
    }, 0);

  const core = { walk, unlocked, advised, most, toCome };
  const place = document.querySelector(".placement:has(.placement-data)");
  const { course, courseWay: way, courseAnswers: judge, reader, markup } = window;
  if (!place || !course || !way || !judge) return core;

  // -- the page ----------------------------------------------------------------------------------------------------

  const data = JSON.parse(place.querySelector(".placement-data").textContent);
  const list = place.querySelector(".placement-list");
  const opened = (question) => ({
    ...judge.opened(question),
    task: question.ask,
    ...(question.easier ? { easier: opened(question.easier) } : {}),
  });
  const blocks = data.blocks.map(({ title, questions }) => ({ title, questions: questions.map(opened) }));
  const stops = new Map(way.all.map((stop) => [stop.label, stop]));
  const isKnown = (label) => way.isKnown({ label });
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  let answers = new Map();
  let aim = "";

  const make = (tag, properties = {}, ...children) => {
    const { attributes = {}, ...rest } = properties;
    const element = Object.assign(document.createElement(tag), rest);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const marked = (text) => markup.nodes(text);
  const button = (words, act, isPlain = true) => {
    const found = make("button", { type: "button", textContent: words });
    found.className = isPlain ? "course-button course-button-plain" : "course-button";
    found.addEventListener("click", act);
    return found;
  };
  const stage = make("div", { className: "placement-stage" });
  place.append(stage);
  /** What is shown now; whoever listens hears its heading first. */
  const show = (heading, ...content) => {
    stage.replaceChildren(heading, ...content);
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    const { top } = heading.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) heading.scrollIntoView();
  };

  // -- the beginning -----------------------------------------------------------------------------------------------

  const aimOf = (path, words, isChosen = false) => {
    const id = `placement-aim-${path || "none"}`;
    const radio = make("input", { type: "radio", name: "placement-aim", id, value: path, checked: isChosen });
    return make("div", { className: "course-path" }, radio, make("label", { htmlFor: id }, ...marked(words)));
  };
  const start = () => {
    const legend = make("legend", { textContent: "What brings you here?" });
    const aims = data.aims.map((one) => aimOf(one.path, one.for));
    const form = make("form", {}, make("fieldset", { className: "placement-aims" }, legend, ...aims, aimOf("", "None of these, or you don't know yet.", true)));
    const go = make("button", { type: "submit", className: "course-button", textContent: "Begin with the questions" });
    const before = mapped().filter(isKnown).length;
    const words = `${counted(before, "section")} known from before: show the map`;
    form.append(make("p", { className: "placement-buttons" }, go, ...(before ? [" ", button(words, finish)] : [])));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      aim = new FormData(form).get("placement-aim") ?? "";
      answers = new Map();
      ask();
    });
    stage.replaceChildren(form);
  };

  // -- a question --------------------------------------------------------------------------------------------------

  const ask = () => {
    const block = blocks.find(({ questions }) => walk(questions, answers).next);
    if (!block) return finish();
    const { next: question } = walk(block.questions, answers);
    const key = [...question.right.keys()][0];
    const one = judge.field(question, key, "placement-answer");
    const status = make("div", { className: "answers-verdict", attributes: { role: "status" } });
    const send = make("button", { type: "submit", textContent: "Check" });
    const skip = make("button", { type: "button", textContent: "I don't know" });
    const stop = make("button", { type: "button", textContent: "Stop here" });
    const legend = make("legend", { textContent: "Your answer" });
    const form = make(
      "form",
      { className: "answers", noValidate: true },
      make("fieldset", {}, legend, ...judge.note(question), one.element),
      make("p", { className: "answers-buttons" }, send, skip, stop),
      status,
    );
    const say = (kind, words, message = "", see = "") => {
      const section = question.sections[see];
      const link = section && make("a", { href: section.href, target: "_blank", rel: "noopener" }, ...marked(section.title));
      status.dataset.verdict = kind;
      status.replaceChildren(
        make("p", {}, make("strong", { textContent: words })),
        ...(message ? [make("p", { className: "answers-message" }, ...marked(message))] : []),
        ...(link ? [make("p", { className: "answers-again" }, "Where it is explained: “", link, "” (in a new tab)")] : []),
      );
    };
    /** Keep what became of it, and go on when the reader has read why. */
    const settle = (isRight) => {
      answers.set(question, isRight);
      for (const control of one.controls) control.disabled = true;
      const next = make("button", { type: "button", textContent: "Go on" });
      next.addEventListener("click", ask);
      send.replaceWith(next);
      skip.remove();
      next.focus();
    };
    const check = () => {
      let value;
      try {
        value = one.value(one.text());
      } catch (error) {
        if (!(error instanceof reader.Unread)) throw error;
        return say("unread", "○ Not checked", `${markup.code(one.text())} cannot be read: ${error.message}.`);
      }
      if (value === undefined) return say("not_attempted", "○ Nothing is filled in yet");
      const found = judge.diagnosis(question, new Map([[key, value]]));
      if (found?.label === "wrong-type") return say("unread", "○ Not checked", found.message);
      if (found) say("wrong", "✗ No", found.message, found.see || question.see);
      else say("passed", "✓ Right");
      return settle(!found);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!answers.has(question)) check();
    });
    skip.addEventListener("click", () => {
      answers.set(question, false);
      ask();
    });
    stop.addEventListener("click", finish);
    const still = toCome(blocks, answers) - 1;
    const more = make("small", { textContent: ` · ${block.title}${still ? `, at most ${still} more` : ", the last one"}` });
    const heading = make("h2", {}, `Question ${answers.size + 1}`, more);
    show(heading, make("p", {}, ...marked(question.ask)), form);
  };

  // -- the end -----------------------------------------------------------------------------------------------------

  const labelsOf = ({ questions }) => {
    const asked = new Set(questions.flatMap(chain).flatMap(({ unlocks }) => unlocks));
    return [...stops.keys()].filter((label) => asked.has(label));
  };
  const mapped = () => blocks.flatMap(labelsOf);
  const titleOf = ({ stem, title }) => `${Number(stem.slice(0, 2))}: ${title}`;
  const linkTo = (stop) => make("a", { href: way.page(stop), textContent: titleOf(stop) });

  const row = (label, refresh) => {
    const stop = stops.get(label);
    const box = make("input", { type: "checkbox", checked: isKnown(label) });
    box.addEventListener("change", () => {
      way.know([label], box.checked);
      refresh();
    });
    const name = make("label", {}, box, make("span", { textContent: `${titleOf(stop)}, ${way.long(stop.minutes)}` }));
    return make("li", {}, name, make("a", { href: way.page(stop), attributes: { "aria-label": `Read ${titleOf(stop)}` } }, "read"));
  };
  const mapOf = (block, refresh) => {
    const count = make("p", {});
    const follow = () => {
      const labels = labelsOf(block);
      const known = labels.filter(isKnown);
      const spared = known.reduce((sum, label) => sum + stops.get(label).minutes, 0);
      const ended = walk(block.questions, answers).wrong === WRONG ? " Two answers were not right, which ended this part." : "";
      count.textContent = `You know ${known.length} of ${counted(labels.length, "section")}${known.length ? `, which spares you ${way.long(spared)}` : ""}.${ended}`;
    };
    const rows = labelsOf(block).map((label) => row(label, () => [follow, refresh].forEach((each) => each())));
    follow();
    const fold = make("details", { open: labelsOf(block).some(isKnown) }, make("summary", { textContent: `The sections of “${block.title}”` }));
    fold.append(make("ul", { className: "placement-map" }, ...rows));
    return make("section", {}, make("h3", { textContent: block.title }), count, fold);
  };

  /** The path that begins where the reader is, why it is this one, and what is left of the others. */
  const sent = (box) => {
    const advice = advised(data.advice, isKnown);
    const path = aim || advice?.path || data.aims[0]?.path;
    if (!path) return box.replaceChildren();
    const { title, minutes, left, first } = way.left(path);
    const said = data.aims.find((one) => one.path === path);
    const why = aim ? `You said: “${said.for}”` : (advice?.why ?? said.for);
    const begin = first
      ? make("p", {}, "It begins for you with ", linkTo(first), `, ${way.long(first.minutes)}. ${left < minutes ? `Of its ${way.long(minutes)}, ${way.long(left)} are left.` : `It takes you ${way.long(left)}.`}`)
      : make("p", { textContent: "You know or have read all of it." });
    const take = first && make("a", { className: "course-button", href: way.page(first), textContent: "Take this path, and begin" });
    take?.addEventListener("click", () => way.choose(path));
    const others = data.aims.filter((one) => one.path !== path).map((one) => ({ ...one, ...way.left(one.path) }));
    const rest = others.map((one) => make("li", {}, make("a", { href: `paths.html#path-${one.path}`, textContent: one.title }), `: ${way.long(one.left)}. `, ...marked(one.for)));
    return box.replaceChildren(
      make("p", {}, make("strong", { textContent: `${title}.` }), " ", ...marked(why)),
      begin,
      ...(take ? [make("p", {}, take)] : []),
      ...(rest.length ? [make("p", { textContent: "Of the other paths, so much is left for you:" }), make("ul", {}, ...rest)] : []),
    );
  };
  const finish = () => {
    const fresh = unlocked(blocks, answers).filter((label) => stops.has(label) && !isKnown(label));
    way.know(fresh, true);
    const [heading, where] = [make("h2", { textContent: "Where you begin" }), make("div", { className: "placement-sent" })];
    sent(where);
    const words = "A ticked section counts as known: cards, menu, the way on and the minutes of your path leave it out. It does not count as read, and no exercise in it as solved. Take away a tick where you want to read after all.";
    const map = [make("h2", { textContent: "What you know" }), make("p", { textContent: words }), ...blocks.map((block) => mapOf(block, () => sent(where)))];
    show(heading, where, ...map, make("p", {}, button("Begin the questions again", start)));
  };

  list.hidden = true;
  start();
  // On paper nobody answers.
  let isOpened = false;
  addEventListener("beforeprint", () => {
    if (stage.querySelector(".placement-map")) return;
    isOpened = true;
    for (const fold of list.querySelectorAll("details")) fold.open = true;
    [list.hidden, stage.hidden] = [false, true];
  });
  addEventListener("afterprint", () => {
    if (isOpened) [list.hidden, stage.hidden, isOpened] = [true, false, false];
  });
  return core;
})();
