// Predictions that answer back: each form covers the outputs below it until the reader has committed, then shows both.
(() => {
  "use strict";
  const PART = "predictions";
  const { reader } = window;

  // -- reading what was written -----------------------------------------------------------------------------------

  const READ = {
    number: (text, field) => reader.number(text, field).value,
    shape: reader.shape,
    numbers: reader.numbers,
    truth: (text) => text.toLowerCase() === "true",
  };
  const such = ({ example }) => (example ? `, such as ${example}` : "");
  const ASKED = {
    number: (field) => `Write a number${such(field)}.`,
    shape: (field) => `Write a shape${such(field)}.`,
    numbers: (field) => `Write the numbers one after the other${such(field)}.`,
    choice: () => "Choose one.",
    truth: () => "Choose one.",
    several: () => "Mark at least one.",
    text: () => "Write a few words. A guess is worth more than nothing.",
  };
  /** What a field can be answered by, as a value; raises `Unread` where a text has none. */
  const valueOf = (field, said) => (READ[field.kind] ? READ[field.kind](said, field) : said);
  /** Where the run may have no answer, "never" is one: null, as what the run says then. */
  const NEVER = /^\s*(never|nowhere|none|no|not at all|at none)\b/i;
  const saidTo = (field, said) => (field.lacks && NEVER.test(said) ? null : valueOf(field, said));

  // -- judging ----------------------------------------------------------------------------------------------------

  const close = (said, right, slack) => Math.abs(said - right) <= slack + 1e-9 * Math.abs(right);
  const listed = (said, right, slack) =>
    Array.isArray(right) && said.length === right.length && said.every((one, i) => close(one, right[i], slack));
  const ratio = (said, right) => Math.max(said / right, right / said);

  const isRight = (field, value) => {
    const { kind, right, slack = 0, within = 0, factor } = field;
    if (right === null || value === null) return value === right;
    if (kind === "number") {
      if (factor && value * right > 0 && ratio(value, right) <= factor * (1 + 1e-9)) return true;
      return close(value, right, Math.max(slack, within));
    }
    if (kind === "shape" || kind === "numbers") return listed(value, right, Math.max(slack, within));
    if (kind === "several") return [...value].sort().join("\n") === [...right].sort().join("\n");
    return value === right;
  };

  const same = (kind, value, when) =>
    kind === "shape" || kind === "numbers" ? listed(value, when, 0) : kind === "number" ? close(value, when, 0) : value === when;

  /** A mistake is declared as the run writes it, in the unit of the field. */
  const mistakesIn = ({ kind, mistakes = [] }, value) => mistakes.filter(({ when }) => same(kind, value, valueOf({ kind }, when)));

  /** The known mistakes in a wrong answer: { when, say }. That a number is too small, or too large, may be one. */
  const slipsIn = (field, value) => {
    const { kind, right, mistakes = [] } = field;
    if (value === null) return [];
    if (kind === "several") return mistakes.filter(({ when }) => value.includes(when) !== right.includes(when));
    const known = mistakesIn(field, value);
    if (known.length || kind !== "number" || right === null) return known;
    const when = value < right ? "less" : "more";
    return field[when] ? [{ when, say: field[when] }] : [];
  };
  /** What to say of one of them. */
  const wordsOf = ({ kind }, { when, say }) => (kind === "several" ? `${inCode(when)}: ${say}` : say);

  /** By which factor a number is off: above 1 it is too large. */
  const factorOf = ({ kind, right }, value) => {
    const off = kind === "number" && value !== null && right !== null ? value / right : 0;
    return off > 0 && Number.isFinite(off) ? off : undefined;
  };

  const rounded = (value) => Number(value.toPrecision(value < 10 ? 2 : 3)).toLocaleString("en");
  const verdict = (field, value, right) => {
    if (field.factor && value !== null && field.right !== null && value * field.right > 0) {
      const off = ratio(value, field.right);
      if (right && off < 1.05) return "right";
      return `${right ? "right, " : ""}off by a factor of ${rounded(off)}`;
    }
    if (field.kind === "several" && !right) {
      const hits = value.filter((one) => field.right.includes(one)).length;
      return `${hits} of ${field.right.length} found, ${value.length - hits} too many`;
    }
    return right ? "right" : "not so";
  };

  /** What becomes of a field that was answered by `said`: a text, or the list of what was marked. */
  const judge = (field, said) => {
    const isAsked = field.kind === "text" || field.open || question(field, said); // what is not understood never counts
    if (isAsked) return { judged: false, right: false, verdict: "", words: [], slips: [] };
    const value = saidTo(field, said);
    const right = isRight(field, value);
    const slips = right ? [] : slipsIn(field, value);
    const words = slips.map((slip) => wordsOf(field, slip));
    return { judged: true, right, verdict: verdict(field, value, right), words, slips, off: factorOf(field, value) };
  };
  /** What is kept of it: what was right, how far off, and which mistakes it was, by the words that declare them. */
  const outcome = ({ right, off, slips }) => ({
    right,
    ...(off && { off: Number(off.toPrecision(3)) }),
    ...(slips.length && { slips: slips.map(({ when }) => when) }),
  });
  const judgedOf = (fields, said) => fields.map((field, i) => judge(field, said[i])).filter(({ judged }) => judged).map(outcome);

  const code = (text) => window.markup.code(text);
  const asked = (field, why, offers = []) => ({ words: [why, ASKED[field.kind](field)].filter(Boolean).join(" "), offers });
  /** Whether what is kept of a field has the form that the field gives: its kind may have been another one. */
  const isOfKind = ({ kind }, said) => Array.isArray(said) === (kind === "several");
  /** What is to be asked of what stands in a field, since it cannot be judged: { words, offers }, or nothing. The words have
   * the markup of verdicts. */
  const question = (field, said) => {
    if (!isOfKind(field, said)) return asked(field, "");
    if (said.length === 0 || (typeof said === "string" && said.trim() === "")) return asked(field, "");
    if (field.kind === "shape" && /^\s*\(\s*-?\d+\s*\)\s*$/.test(said)) return asked(field, `${code(said.trim())} is a number: a shape of one axis has a comma.`);
    if (field.kind === "shape" && said.includes("[")) return asked(field, "Square brackets make a list: a shape is a tuple, with round brackets.");
    try {
      saidTo(field, said);
      return null;
    } catch (error) {
      if (!(error instanceof reader.Unread)) throw error;
      const { words, offers } = asked(field, `${code(said.trim().slice(0, 40))} cannot be read: ${error.message}.`, error.offers);
      return { words: field.lacks ? `${words} Or never.` : words, offers };
    }
  };
  /** A second look at a number that is very far off and has no unit: what may have been meant. It is asked once. */
  const doubt = (field, said) => {
    if (field.kind !== "number" || field.open || !field.right || saidTo(field, said) === null) return null;
    if (mistakesIn(field, saidTo(field, said)).length) return null;
    const offer = reader.meant(said, field, field.right);
    const same = reader.number(offer || said, field).value === saidTo(field, said);
    if (!offer) return null;
    const typed = `${said.trim()}${field.unit && reader.number(said, field).bare ? ` ${field.unit}` : ""}`;
    const words = same ? `That is ${offer}. If you mean it, commit once more.` : `Did you mean ${offer}? If you mean ${code(typed)}, commit once more.`;
    return { words, offers: same ? [] : [offer] };
  };
  const complaint = (field, said) => question(field, said)?.words ?? "";

  // -- the page ---------------------------------------------------------------------------------------------------

  const store = () => window.course ?? { get: () => undefined, change: () => {}, anchor: () => "" };
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const inCode = (text) => {
    const place = make("span");
    place.append(...withCode(text));
    return place.innerHTML;
  };
  /** HTML that the build made of the lesson's source. */
  const html = (tag, source, attributes = {}) => {
    const element = make(tag, attributes);
    element.innerHTML = source;
    return element;
  };

  const cover = (output, show) => {
    output.classList.remove("predict-open");
    const button = make("button", { type: "button" }, "Show me");
    button.addEventListener("click", show);
    output.prepend(make("div", { class: "predict-cover" }, make("span", {}, "Covered until you have predicted."), button));
  };
  const uncover = (output) => {
    output.classList.add("predict-open");
    output.querySelectorAll(":scope > :is(.predict-cover, .predict-echo)").forEach((one) => one.remove());
  };

  const controls = (form, i) => [...form.querySelectorAll(`[name="predict-${form.dataset.key}-${i}"]`)];
  const saidIn = (form, field, i) => {
    const all = controls(form, i);
    const marked = all.filter((one) => one.checked).map((one) => one.value);
    if (field.kind === "several") return marked;
    return field.kind === "choice" || field.kind === "truth" ? (marked[0] ?? "") : all[0].value;
  };
  const write = (form, fields, said) =>
    fields.forEach((field, i) => {
      for (const one of controls(form, i)) {
        if (one.type === "text") one.value = said[i];
        else one.checked = field.kind === "several" ? said[i].includes(one.value) : said[i] === one.value;
      }
    });

  /** A label that leads to what follows. */
  const led = (ask) => (/[?.:]$/.test(ask) ? `${ask} ` : `${ask}: `);
  const withCode = (text) => window.markup.nodes(text);
  /** Several choices, one below the other: a comma would join what may have commas itself. */
  const inList = (choices) => [make("ul", { class: "predict-list" }, ...choices.map((one) => make("li", {}, ...withCode(one))))];
  const runSays = (field) => {
    if (field.kind === "several" && field.right) return inList(field.right);
    const unit = field.unit && /^[-+\d.,e]+$/.test(field.shown) ? ` ${field.unit}` : "";
    return [...withCode(field.shown), unit];
  };

  // The roles stay when a narrow screen shows the cells as a grid.
  const cell = (...children) => make("td", { role: "cell" }, ...children);
  const row = (...cells) => make("tr", { role: "row" }, ...cells);

  const compared = ({ field, said, judged }) => {
    const name = html("th", field.ask || "Your prediction", { scope: "row", role: "rowheader" });
    if (said === undefined) return row(name, cell(...runSays(field)));
    const unit = field.kind === "number" && field.unit && /^[\d.,]+$/.test(said.trim()) ? ` ${field.unit}` : "";
    const kind = judged.right ? "predict-right" : "predict-wrong";
    const mark = judged.judged ? [" ", make("span", { class: kind }, `${judged.right ? "✓" : "✗"} ${judged.verdict}`)] : [];
    return row(name, cell(...(Array.isArray(said) ? inList(said) : field.kind === "choice" ? withCode(said) : [said]), unit, ...mark), cell(...runSays(field)));
  };

  const explained = ({ judged }) =>
    (judged?.words ?? []).map((say) => row(make("td", { role: "cell", colspan: 3 }, html("p", say, { class: "predict-words" }))));

  /** Both side by side, with the words to each mistake below it. What is in words of one's own stands at the output. */
  const comparison = (fields, said, device) => {
    const all = fields.map((field, i) => ({ field, said: said?.[i], judged: said && judge(field, said[i]) }));
    const rows = all.filter(({ field }) => field.kind !== "text");
    const source = device ? "The record says" : "The run says";
    const heads = (said ? ["You said", source] : [source]).map((text) =>
      make("th", { scope: "col", role: "columnheader" }, text),
    );
    const head = make("thead", { role: "rowgroup" }, row(cell(), ...heads));
    const body = make("tbody", { role: "rowgroup" }, ...rows.flatMap((one) => [compared(one), ...explained(one)]));
    const table = rows.length ? [make("table", { class: "predict-table", role: "table" }, head, body)] : [];
    const ofMachine = "What is measured holds for the machine that built this page. The notebook measures yours.";
    const ofDevice = device && `Judged by what was measured on ${device}. The notebook measures your machine.`;
    const note = ofDevice || (fields.some((field) => field.measured) && ofMachine);
    return [summary(all, device), ...table, ...(note ? [make("p", { class: "predict-note" }, note)] : [])];
  };

  /** What was said in words of one's own, to stand above the output. */
  const echo = (fields, said) => {
    const words = fields.map((field, i) => [field, said[i]]).filter(([field]) => field.kind === "text");
    const lines = words.map(([field, text]) => make("p", {}, html("span", led(field.ask || "You said")), text));
    return lines.length ? [make("div", { class: "predict-echo" }, ...lines)] : [];
  };

  const summary = (all, device) => {
    const source = device ? "the record" : "the run";
    const judged = all.map((one) => one.judged).filter((one) => one?.judged);
    const right = judged.filter((one) => one.right).length;
    const text = () => {
      if (!all[0].judged) return "Uncovered below.";
      if (!judged.length) return "Compare your words with what stands below.";
      if (judged.length === 1) return right ? `As ${source} says.` : `${source.replace("t", "T")} says otherwise.`;
      return `${right} of ${judged.length} as ${source} says.`;
    };
    return make("p", { class: "predict-summary" }, text());
  };

  const again = (start) => {
    const button = make("button", { type: "button" }, "Predict again");
    button.addEventListener("click", start);
    return make("p", { class: "predict-buttons" }, button);
  };

  const box = (form) => {
    const words = form.parentElement.textContent; // the question: its nouns may follow a number
    const own = { label: "", fields: JSON.parse(form.dataset.fields) };
    const others = JSON.parse(form.dataset.recorded ?? "{}");
    /** By what is judged: what this build measured, or another device, if the reader has chosen that. */
    let fields, device;
    const choose = () => {
      const name = window.recorded?.chosen() ?? "";
      const found = Object.hasOwn(others, name) ? others[name] : own;
      fields = found.fields.map((field) => ({ ...field, words }));
      device = found.label;
    };
    choose();
    const { key, covers } = form.dataset;
    // The outputs, each with a cover of its own, and the paragraph below them, which is only hidden.
    const covered = covers.split(" ").map((id) => document.getElementById(id)).filter(Boolean);
    const outputs = covered.filter((one) => one.matches(".predict-output"));
    const uncoverAll = () => covered.forEach(uncover);
    const hint = form.querySelector(".predict-hint");
    const told = form.querySelector(".predict-told");
    /** What is kept of it, as far as it shows. */
    const state = () => JSON.stringify([store().get(PART, key)?.said, store().get(PART, key)?.shown]);
    let shown;
    const keep = (value) => store().change(PART, key, { said: undefined, shown: undefined, at: Date.now(), known: true, ...value });
    /** What is said before the output has been seen is foresight; whatever comes later is none. */
    const first = (said, at) => {
      const isKnown = store().get(PART, key)?.known;
      const of = isKnown ? [] : judgedOf(fields, said);
      return of.length ? { first: { ...(at && { at }), of } } : {};
    };
    const isWrong = (said) => fields.some((field, i) => judge(field, said[i]).judged && !judge(field, said[i]).right);
    const under = () => form.closest("section")?.querySelector(":is(h1, h2, h3, h4)")?.firstChild?.textContent ?? "";
    const plan = (said) => (isWrong(said) ? window.repeat?.missed(PART, key, under()) : window.repeat?.met(PART, key));

    const closed = () => {
      form.classList.remove("predict-done");
      hint.textContent = "";
      told.replaceChildren();
      covered.forEach((one) => one.classList.remove("predict-open"));
      for (const output of outputs) {
        uncover(output);
        cover(output, show);
      }
    };
    const open = (said) => {
      form.classList.add("predict-done");
      hint.textContent = "";
      told.replaceChildren(...comparison(fields, said, device), again(restart));
      uncoverAll();
      if (said) outputs[0]?.prepend(...echo(fields, said));
    };
    // The fields are hidden now: whoever goes by keyboard goes on from the verdict.
    const settle = (said) => {
      open(said);
      told.setAttribute("tabindex", "-1");
      told.focus({ preventScroll: true });
    };
    const show = () => {
      keep({ shown: true });
      settle(undefined);
      shown = state();
    };
    const restart = () => {
      keep({});
      write(form, fields, fields.map((field) => (field.kind === "several" ? [] : "")));
      closed();
      shown = state();
      form.querySelector("input").focus({ preventScroll: true });
    };
    const doubted = new Set(); // what was asked about once
    const controlOf = (i) => controls(form, i)[0];
    /** A button that writes into a field what may have been meant. */
    const offering = (i) => (offer) => {
      const button = make("button", { type: "button", class: "predict-offer" }, offer);
      button.addEventListener("click", () => {
        controlOf(i).value = offer;
        controlOf(i).removeAttribute("aria-invalid");
        hint.textContent = "";
        controlOf(i).focus();
      });
      return button;
    };
    /** Ask about some fields: [its place, { words, offers }], ...; whoever answers begins at the first. */
    const ask = (questions) => {
      const parts = questions.map(([i, { words, offers }]) => {
        const name = fields.length > 1 ? [...html("i", led(fields[i].ask)).childNodes] : [];
        if (controlOf(i).type === "text") controlOf(i).setAttribute("aria-invalid", "true");
        return [...name, ...withCode(words), ...offers.map(offering(i)).flatMap((part) => [" ", part])];
      });
      hint.replaceChildren(...parts.flatMap((part, i) => (i ? [" ", ...part] : part)));
    };
    /** What is to be asked before anything is judged: the first field that cannot be read, or all that are far off. */
    const openQuestions = (said) => {
      const about = (one) => fields.map((field, i) => [i, one(field, said[i], i)]).filter(([, words]) => words);
      const unread = about(question);
      if (unread.length) return unread.slice(0, 1);
      const far = about((field, text, i) => !doubted.has(`${i} ${text}`) && doubt(field, text));
      for (const [i] of far) doubted.add(`${i} ${said[i]}`);
      return far;
    };
    const commit = (event) => {
      event.preventDefault();
      const said = fields.map((field, i) => saidIn(form, field, i));
      fields.forEach((_, i) => controls(form, i).forEach((one) => one.removeAttribute("aria-invalid")));
      const questions = openQuestions(said);
      if (questions.length) {
        ask(questions);
        controlOf(questions[0][0]).focus();
        return;
      }
      keep({ said, ...first(said, Date.now()) });
      plan(said);
      settle(said);
      shown = state();
    };
    /** Whether a field offers what is kept of it: what there was to choose may have changed since. */
    const offers = (field, i, said) => {
      const choices = controls(form, i).filter(({ type }) => type !== "text").map(({ value }) => value);
      return isOfKind(field, said) && (!choices.length || [said].flat().every((one) => choices.includes(one)));
    };
    const fits = (kept) =>
      Array.isArray(kept?.said) && kept.said.length === fields.length && fields.every((field, i) => offers(field, i, kept.said[i]));
    const restore = () => {
      const kept = store().get(PART, key);
      shown = state();
      if (window.repeat?.calls(PART, key)) {
        closed();
        hint.textContent = "You were wrong here before. What do you say now?";
      } else if (fits(kept)) {
        write(form, fields, kept.said);
        const unread = fields.map((field, i) => [i, question(field, kept.said[i])]).filter(([, asked]) => asked);
        if (unread.length) {
          closed(); // a notebook keeps what is typed there, and this page reads it
          ask(unread.slice(0, 1));
          return;
        }
        open(kept.said);
        if (window.repeat?.isNew(PART, key) && isWrong(kept.said)) plan(kept.said); // kept by an earlier edition of the site
        if (!kept.known) store().change(PART, key, { ...first(kept.said, kept.at), known: true }); // so was this
      } else if (kept?.shown) open(undefined);
      else closed();
    };

    form.addEventListener("submit", commit);
    form.querySelector("[data-do=show]").addEventListener("click", show);
    restore();
    if (form.dataset.recorded) {
      document.addEventListener("recorded:change", () => {
        choose();
        if (form.classList.contains("predict-done")) restore();
      });
    }
    for (const one of covered) {
      one.addEventListener("predict:found", uncoverAll);
      // A word that the search has marked in there is what the reader came for.
      const look = () => one.querySelector(".highlighted, mark") && uncoverAll();
      new MutationObserver(look).observe(one, { childList: true, subtree: true });
      look();
    }
    return () => shown !== state() && restore();
  };

  /** An address that leads into a covered output uncovers it. */
  const follow = () => {
    const target = document.getElementById(store().anchor());
    const covered = target && target.closest(".predict-output, .predict-after");
    if (!covered || covered.classList.contains("predict-open")) return;
    covered.dispatchEvent(new CustomEvent("predict:found"));
    target.scrollIntoView();
  };

  const start = () => {
    try {
      const restores = [...document.querySelectorAll("form.predict-form")].map(box);
      follow();
      window.addEventListener("hashchange", follow);
      // Another tab, or the page that forgets everything, has changed what is kept.
      document.addEventListener("course:change", ({ detail }) => detail?.part === "" && restores.forEach((one) => one()));
    } catch (error) {
      document.documentElement.classList.remove("predicting"); // nothing stays covered that no button uncovers
      throw error;
    }
  };

  window.predict = { judge, complaint, question, doubt };
  // At once, so that no output is seen before it is covered.
  document.documentElement.classList.add("predicting");
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
