// Exercises on the page. One that takes a value is answered in a form, built from the JSON beside its stub, and gets
// the verdict that `check` gives in a notebook. One that takes a function is written there; here it can be ticked.
// `courseAnswers` is what `placement.js` needs to ask a single entry: its field, and the verdict on it.
(() => {
  "use strict";

  // -- what is typed --

  const { Unread, expression, isList, read } = window.reader;

  // -- the verdict, as `jaxcourse.prediction` reaches it --

  const plain = (value) => {
    if (Array.isArray(value)) return value.map(plain);
    return typeof value === "string" ? value.replace(/^[\s\x1c-\x1f\x85]+|[\s\x1c-\x1f\x85]+$/g, "") : value;
  };
  const form = (value) => {
    if (!Array.isArray(value)) {
      return { boolean: "truth", bigint: "number", number: "number", string: "text" }[typeof value] ?? "NoneType";
    }
    const inside = new Set(value.map(form));
    if (inside.size === 1 && inside.has("text")) return "texts";
    return [...inside].every((one) => one === "number" || one === "numbers") ? "numbers" : "tuple";
  };

  /** The shape and the elements of what NumPy makes an array of numbers from, or nothing. */
  const numeric = (value) => {
    if (!Array.isArray(value)) {
      const whole = typeof value === "bigint" && -(2n ** 63n) <= value && value < 2n ** 64n;
      return whole || typeof value === "number" || typeof value === "boolean" ? { shape: [], elements: [value] } : null;
    }
    const parts = value.map(numeric);
    if (parts.includes(null) || new Set(parts.map((part) => part.shape.join())).size > 1) return null;
    return { shape: [value.length, ...(parts[0]?.shape ?? [])], elements: parts.flatMap((part) => part.elements) };
  };
  const TOLERANCE = 500 * Number.EPSILON;
  const close = (got, want) => {
    const [a, b] = [numeric(got), numeric(want)];
    if (!a || !b || a.shape.join() !== b.shape.join()) return false;
    const exact = [...a.elements, ...b.elements].every((one) => typeof one !== "number");
    if (exact) return a.elements.every((one, i) => BigInt(one) === BigInt(b.elements[i]));
    const [xs, ys] = [a.elements.map(Number), b.elements.map(Number)];
    const scale = Math.max(0, ...ys.filter(Number.isFinite).map(Math.abs));
    const near = (x, y) => Number.isFinite(y) && Math.abs(x - y) <= TOLERANCE * scale + TOLERANCE * Math.abs(y);
    return xs.every((x, i) => Object.is(x, ys[i]) || x === ys[i] || near(x, ys[i]));
  };
  const agree = (got, want) => {
    if (Array.isArray(want) && !numeric(want)) {
      return Array.isArray(got) && got.length === want.length && want.every((one, i) => agree(got[i], one));
    }
    return numeric(want) ? close(got, want) : got === want;
  };
  const same = (got, want) => {
    if (typeof got === "string" && typeof want === "string") return got.toLowerCase() === want.toLowerCase();
    if (Array.isArray(got) && Array.isArray(want) && form(want) === "texts") {
      return got.length === want.length && want.every((one, i) => same(got[i], one));
    }
    return form(got) === form(want) && agree(got, want);
  };

  /** The exported prediction, with its values read. */
  const opened = (data) => {
    const value = (source) => plain(expression(source, false));
    const entries = (table, each) => new Map(Object.entries(table).map(([name, source]) => [name, each(source)]));
    return {
      ...data,
      right: new Map(data.right.map(([name, source]) => [name, value(source)])),
      also: entries(data.also, value),
      mistakes: data.mistakes.map((mistake) => ({
        ...mistake,
        when: mistake.when.map((table) => entries(table, (sources) => sources && sources.map(value))),
      })),
    };
  };

  /** The label and the message of the first thing that is wrong, or nothing where all is right. */
  const diagnosis = (data, given) => {
    const { right, words, choices } = data;
    const several = data.form === "table";
    let raw = new Map([...right.keys()].map((name) => [name, given.get(name)]));
    if (data.form === "tuple") {
      const whole = given.get("");
      const length = right.size === 2 ? "a pair" : `a tuple of ${right.size}`;
      const message = `Give ${length}; each entry should be ${words}.`;
      if (isList(whole)) return { label: "wrong-type", message: `${message} ${data.no_list}` };
      if (!Array.isArray(whole) || whole.length !== right.size) {
        return { label: "wrong-type", message: right.size > 1 ? message : `${message} ${data.comma}` };
      }
      raw = new Map(whole.map((entry, i) => [String(i), entry]));
    }
    const got = new Map([...raw].map(([name, entry]) => [name, plain(entry)]));
    const accepts = (name, entry) =>
      same(entry, right.get(name)) || (data.also.has(name) && same(entry, data.also.get(name)));
    const isOdd = (entry) =>
      typeof entry === "string" && choices.length
        ? !choices.some((choice) => choice.toLowerCase() === entry.toLowerCase())
        : !data.forms.includes(form(entry));
    const fits = (name, wants) =>
      wants ? wants.some((want) => same(got.get(name), want)) : !accepts(name, got.get(name));

    const noTuple = (entry) => isList(entry) && !data.lists;
    const odd = [...raw].find(([name, entry]) => noTuple(entry) || isOdd(got.get(name)));
    if (odd) {
      const bare = form(got.get(odd[0])) === "number" && data.forms.includes("numbers");
      const [kind, why] = noTuple(odd[1]) ? ["a list", ` ${data.no_list}`] : bare ? ["a number", ` ${data.comma}`] : ["not", ""];
      const message = several ? `Each entry should be ${words}; \`${odd[0]}\` is ${kind}.` : `Give ${words}.`;
      return { label: "wrong-type", message: message + why, places: [odd[0]] };
    }
    const shows = (table) => [...table].every(([name, wants]) => fits(name, wants));
    const differ = [...right.keys()].filter((name) => !accepts(name, got.get(name)));
    const rows = said(data, differ);
    const places = data.namesRows ? differ : [];
    const mistake = data.mistakes.find(({ when }) => when.some(shows));
    if (mistake) return { ...mistake, message: `${mistake.message} ${rows}`.trim(), places };
    return differ.length ? { label: "wrong-value", message: `${rows} ${data.otherwise}`.trim(), places } : null;
  };
  /** How many entries are right, and which are not: as `Prediction.rows`. */
  const said = ({ right: { size: every }, form: whole, namesRows }, differ) => {
    const right = every - differ.length;
    if (every < 2 || !differ.length) return "";
    if (!right) return `None of the ${every} is right.`;
    const count = `${right} of ${every} ${right === 1 ? "is" : "are"} right`;
    if (!namesRows) return `${count}.`;
    const names = differ.map((name) => (whole === "table" ? window.markup.code(name) : `entry ${Number(name) + 1}`));
    const listed = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
    return `${count}; ${listed} ${names.length === 1 ? "is" : "are"} not.`;
  };

  // -- the page --

  const make = (tag, properties = {}, ...children) => {
    const { attributes = {}, ...rest } = properties;
    const element = Object.assign(document.createElement(tag), rest);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const marked = (text) => window.markup.nodes(text);
  /** A key of a stub as a name: code, unless it is a piece of English. */
  const keyed = (key) => (/[a-z]{3,} [a-z]{3,}/i.test(key) ? key : make("code", { textContent: key }));

  const BOTH = ["True", "False"];

  /** What stands around an entry, for the reader of numbers: a unit where its name has one, and all nouns of the task. */
  const about = ({ variable, task }, key) => {
    const names = `${key} ${variable}`.match(/[a-z]+/gi) ?? [];
    const unit = names.find((word) => /^(bytes|seconds|percent)$/.test(word));
    return { unit, words: `${names.join(" ")} ${task}` };
  };

  /** One entry of the form: what stands on the page, what is written in it as text, and the value that this is. */
  const field = (data, key, id) => {
    const label = data.form === "table" ? key : data.variable;
    const only = data.forms.join();
    if (only === "truth") {
      const radios = BOTH.map((value) => make("input", { type: "radio", name: id, value }));
      const labels = radios.map((radio) => make("label", {}, radio, ` ${radio.value}`));
      return {
        element: make(
          "fieldset",
          { className: "answers-entry" },
          make("legend", {}, keyed(label)),
          make("span", {}, ...labels),
        ),
        controls: radios,
        text: () => radios.find((radio) => radio.checked)?.value ?? "",
        write: (text) => radios.forEach((radio) => (radio.checked = radio.value === text)),
        value: (text) => (text ? text === "True" : undefined),
      };
    }
    const listed = only === "text" && data.choices.length > 0;
    const typed = { id, type: "text", autocomplete: "off", spellcheck: false };
    const control = listed
      ? make("select", { id }, new Option("Choose", ""), ...data.choices.map((choice) => new Option(choice)))
      : make("input", { ...typed, attributes: { autocapitalize: "off" } });
    return {
      element: make("div", { className: "answers-entry" }, make("label", { htmlFor: id }, keyed(label)), control),
      controls: [control],
      text: () => control.value,
      write: (text) => (control.value = text),
      value: listed ? (text) => text || undefined : (text) => read(text, data.forms, about(data, key)),
    };
  };

  /** How to write an entry, where it is typed. */
  const note = ({ forms, words, choices, form: whole, examples, right }) => {
    if (forms.join() === "truth" || (forms.join() === "text" && choices.length)) return [];
    const pair = whole === "tuple" ? "a tuple, each entry of which is " : "";
    const such = examples && !pair ? `, such as ${examples}` : "";
    const quotes = forms.some((one) => one.startsWith("text")) ? " You may leave out the quotation marks." : "";
    const text = `Write ${whole === "table" && right.size > 1 ? "each" : "it"} as in Python: ${pair}${words}${such}.${quotes}`;
    return [make("p", { className: "answers-note" }, ...marked(text))];
  };

  /** Opens the solution that follows an exercise, and goes there. */
  const reveal = (exercise) => {
    const solution = exercise.nextElementSibling;
    solution.classList.remove("toggle-hidden"); // the script of the folds follows this class
    const fold = solution.matches("details") ? solution : solution.querySelector("details");
    if (fold) fold.open = true;
    solution.tabIndex = -1;
    solution.focus({ preventScroll: true });
    solution.scrollIntoView({ block: "nearest" });
  };

  /** How much of the lesson is solved, as a bar that fills and in words, and what comes next. */
  const standing = (name) => {
    const found = window.courseStanding?.(name);
    if (!found) return [];
    const fill = make("span");
    fill.style.width = `${Math.round(100 * found.share)}%`;
    const bar = make("span", { className: "answers-bar", attributes: { "aria-hidden": "true" } }, fill);
    const next = found.next && make("a", { href: found.next.address, textContent: found.next.words });
    return [
      make("p", { className: "answers-standing" }, bar, ` ${found.words}`),
      ...(next ? [make("p", { className: "answers-next" }, "Next: ", next)] : []),
    ];
  };

  const PART = "exercises";
  const { course, repeat } = window;

  /** Keep what became of an attempt: a tick goes when a later one is wrong, and several tries are repeated some day. */
  const attempted = (name, passed, tried) => {
    const tries = course.get(PART, name)?.tries ?? 0;
    if (passed && tries) repeat?.missed(PART, name);
    else if (passed) repeat?.met(PART, name);
    course.change(PART, name, { solved: passed, tries: passed ? 0 : tries + 1, tried, at: Date.now() });
  };

  /** The stub repeats the form: it is folded where there is one. */
  const foldStub = (stub) => {
    if (!stub) return;
    const fold = make("details", { className: "answers-stub" }, make("summary", { textContent: "In the notebook" }));
    stub.before(fold);
    fold.append(stub);
  };

  const build = (script) => {
    const exercise = script.closest(".exercise");
    const data = { ...opened(JSON.parse(script.textContent)), task: exercise?.innerText ?? "" };
    const solution = exercise?.nextElementSibling?.matches(".solution") ?? false;
    const keys = data.form === "table" ? [...data.right.keys()] : [""];
    const fields = new Map(keys.map((key, i) => [key, field(data, key, `answer-${data.name}-${i}`)]));

    const status = make("div", { className: "answers-verdict", attributes: { role: "status" } });
    const spoken = { "aria-live": "polite", "aria-label": "Hints" };
    const hints = make("ol", { className: "answers-hints", attributes: spoken });
    const solved = make("span", { className: "answers-solved" });
    const hint = make("button", { type: "button" });
    const show = make("button", { type: "button", textContent: "Show the solution", hidden: !solution });

    const say = (kind, sign, words, message, see) => {
      const section = data.sections[see];
      const link = section && make("a", { href: section.href }, ...marked(section.title));
      status.dataset.verdict = kind;
      status.replaceChildren(
        make("p", {}, make("strong", {}, ...marked(`${sign} ${words}: ${data.title}`))),
        ...(message ? [make("p", { className: "answers-message" }, ...marked(message))] : []),
        ...(link ? [make("p", { className: "answers-again" }, "Read again: “", link, "”")] : []),
        ...(kind === "passed" ? standing(data.name) : []),
      );
    };
    const unread = (name, text, problem) => {
      const where = data.form === "table" ? `, for \`${name}\`,` : "";
      const what = `${window.markup.code(text)}${where} cannot be read: ${problem}.`;
      say("unread", "○", "Not checked", `${what} Write ${data.words}, as in Python.`);
    };
    const mark = (name, wrong) => {
      for (const control of fields.get(name).controls) {
        if (wrong) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
    };

    /** The answer as a table; where a field is empty or cannot be read, says so and returns nothing. */
    const given = () => {
      const got = new Map();
      for (const [name, one] of fields) {
        try {
          got.set(name, one.value(one.text()));
          mark(name, false);
        } catch (error) {
          if (!(error instanceof Unread)) throw error;
          unread(name, one.text(), error.message);
          mark(name, true);
          one.controls[0].focus();
          return null;
        }
      }
      const empty = [...got].filter(([, value]) => value === undefined).map(([name]) => name);
      if (!empty.length) return got;
      const left = data.form === "table" ? ` Still empty: ${empty.map((name) => `\`${name}\``).join(", ")}.` : "";
      const message = empty.length === keys.length ? "Nothing is filled in yet." : `Fill in every entry first.${left}`;
      say("not_attempted", "○", "Not attempted", message);
      fields.get(empty[0]).controls[0].focus();
      return null;
    };
    const check = () => {
      const got = given();
      if (!got) return;
      const found = diagnosis(data, got);
      attempted(data.name, !found, Object.fromEntries([...fields].map(([name, one]) => [name, one.text()])));
      if (found) {
        const places = found.places ?? [];
        for (const name of keys) mark(name, keys.length === 1 || places.includes(name));
        say("wrong", "✗", "Not yet", found.message, found.see || data.see);
      } else {
        say("passed", "✓", "Passed", solution ? "Now compare your reasoning with the solution." : "");
      }
    };

    const count = () => {
      const left = data.hints.length - hints.children.length;
      hint.textContent = left ? `Hint (${left} left)` : "No more hints";
      hint.setAttribute("aria-disabled", String(!left));
    };
    hint.addEventListener("click", () => {
      const text = data.hints[hints.children.length];
      if (text) hints.append(make("li", {}, ...marked(text)));
      count();
    });
    show.addEventListener("click", () => reveal(exercise));
    const tick = () => {
      solved.textContent = course.isSolved(data.name) ? "✓ Solved" : "";
    };

    const elements = [...fields.values()].map((one) => one.element);
    const send = make("button", { type: "submit", textContent: "Check" });
    const box = make(
      "form",
      { className: "answers", noValidate: true },
      make("fieldset", {}, make("legend", { textContent: "Your answer" }), ...note(data), ...elements),
      make("p", { className: "answers-buttons" }, send, hint, show, solved),
      status,
      hints,
    );
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      check();
    });
    // Who has come to repeat it begins with empty fields.
    const before = repeat?.calls(PART, data.name) ? {} : course.get(PART, data.name)?.tried;
    for (const [name, text] of Object.entries(before ?? {})) fields.get(name)?.write(text);
    count();
    tick();
    document.addEventListener("course:change", tick);
    exercise?.classList.add("answers-here");
    foldStub(exercise?.querySelector(".cell.tag_exercise"));
    script.before(box);
  };

  /** A tick of the reader's own for an exercise that is written in the notebook. */
  const offerTick = (line) => {
    const name = line.dataset.exercise;
    const box = make("input", { type: "checkbox" });
    const told = make("div", { className: "answers-told", attributes: { role: "status" } });
    const follow = () => (box.checked = course.isSolved(name));
    box.addEventListener("change", () => {
      const solved = box.checked; // the first change that is kept sets the box to what was kept before
      if (solved) repeat?.met(PART, name);
      course.change(PART, name, { solved, at: Date.now() });
      told.replaceChildren(...(solved ? standing(name) : []));
    });
    if (repeat?.isDue(PART, name)) {
      const call = make("code", { textContent: repeat.call(name) });
      told.append(make("p", {}, "You are to do it again. In the notebook, ", call, " checks it on other inputs."));
    }
    line.after(told);
    document.addEventListener("course:change", follow);
    follow();
    line.append(" ", make("label", {}, box, " I have solved it"));
  };

  /** In the index of exercises: a tick beside what is solved. */
  const showTick = (place) => {
    const follow = () => {
      place.textContent = course.isSolved(place.dataset.solved) ? "✓ solved" : "";
    };
    document.addEventListener("course:change", follow);
    follow();
  };

  window.courseAnswers = { opened, field, note, diagnosis };
  document.querySelectorAll("script.answers-data").forEach(build);
  document.querySelectorAll("p.answers-notebook").forEach(offerTick);
  document.querySelectorAll("[data-solved]").forEach(showTick);
})();
