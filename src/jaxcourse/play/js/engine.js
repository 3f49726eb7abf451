// The engine of the pictures that take the reader's own input: fields, examples, the address, messages, a sheet.
// A picture is an object with `model`, which turns the fields' texts into a result or throws `Bad`, and `draw`,
// which draws that result. Every result has `says`: what the picture shows, in words.

/** An input that cannot be drawn: which field is wrong, and what is wrong with it. */
class Bad extends Error {
  constructor(field, words) {
    super(words);
    this.field = field;
  }
}

const counted = (count, word, plural = `${word}s`) => `${grouped(count)} ${count === 1 ? word : plural}`;
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);
const range = (count) => Array.from({ length: count }, (_, i) => i);

const SVG = "http://www.w3.org/2000/svg";
const BLUE = "#4a74e0";
const ORANGE = "#c2703d";
/** The dashes of what is not there: an element that is repeated and has no bytes of its own. */
const VIRTUAL = "2 3";
/** Width of a monospace character in units of its size: the widest of the usual fonts. */
const ADVANCE = 0.61;
const MOST = 680;
const PAUSE = 600;

/** What a picture is drawn on, as wide as the page allows, so that text keeps its size on a phone. */
class Sheet {
  constructor(width) {
    this.width = width;
    this.bottom = 0;
    this.root = document.createElementNS(SVG, "svg");
    this.into = this.root;
  }

  add(tag, attributes, words) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (words !== undefined) made.textContent = words;
    this.into.appendChild(made);
    return made;
  }

  /** Draw into a group whose title shows when the mouse rests on it. */
  group(title, draw) {
    const outer = this.into;
    this.into = this.add("g", {});
    this.add("title", {}, title);
    draw();
    this.into = outer;
  }

  text(x, y, words, look = {}) {
    this.bottom = Math.max(this.bottom, y + 4);
    this.add("text", { x, y, "font-size": 12, "text-anchor": "middle", ...look }, words);
  }

  /** A line of running text from the left, wrapped; returns its bottom. */
  heading(y, words) {
    const room = Math.max(20, Math.floor(this.width / 6.4));
    let line = "";
    for (const word of [...words.split(" "), null]) {
      if (word === null || (line && line.length + word.length + 1 > room)) {
        this.text(0, y + 12, line, { "text-anchor": "start", class: "prose" });
        y += 17;
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    return y + 5;
  }

  rect(x, y, width, height, look = {}) {
    this.bottom = Math.max(this.bottom, y + height);
    this.add("rect", { x, y, width, height, fill: "none", stroke: "currentColor", ...look });
  }

  path(d, look) {
    this.add("path", { d, fill: "none", stroke: "currentColor", ...look });
  }

  /** Fill a box with diagonals, which say the same on any colour and on paper. */
  hatch(x, y, width, height, look = { "stroke-opacity": 0.45 }) {
    const steps = [];
    for (let reach = 6; reach < width + height; reach += 6) {
      const right = Math.min(reach, width);
      const low = Math.min(reach, height);
      steps.push(`M${x + reach - low} ${y + low}L${x + right} ${y + reach - right}`);
    }
    this.path(steps.join(""), look);
  }

  /** The drawing, closed at its bottom. */
  close(label) {
    const size = [-1, -1, this.width + 2, this.bottom + 3];
    this.root.setAttribute("viewBox", size.join(" "));
    this.root.setAttribute("width", size[2]);
    this.root.setAttribute("height", size[3]);
    this.root.setAttribute("role", "img");
    this.root.setAttribute("aria-label", label);
    return this.root;
  }
}

const fits = (words, width, size = 12) => words.length * size * ADVANCE <= width;
const fitting = (spellings, width, size = 12) => spellings.find((words) => fits(words, width, size)) ?? "";

/** How wide a drawing may be in its place; a place that is not to be seen has no width. */
const room = (place) => Math.min(MOST, (place.clientWidth || 442) - 2);

/** One picture on the page. */
class Play {
  constructor(form, picture) {
    this.form = form;
    this.picture = picture;
    this.fields = [...form.querySelectorAll("[name]")];
    this.frame = form.querySelector(".jaxcourse-play-frame");
    this.says = form.querySelector("[role=status]");
    this.sheet = form.querySelector(".jaxcourse-play-sheet");
    this.hints = new Map(this.fields.map((field) => [field, field.closest("div").querySelector("small")]));
    this.defaults = new Map([...this.hints].map(([field, hint]) => [field, hint.textContent]));
    this.timer = 0;
    this.width = 0;
  }

  start() {
    this.name();
    this.form.querySelector("fieldset").disabled = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.update(PAUSE));
    this.form.addEventListener("change", () => this.update(0));
    for (const button of this.form.querySelectorAll("button[data-state]"))
      button.addEventListener("click", () => this.preset(JSON.parse(button.dataset.state)));
    this.read();
    this.update(0, false);
    new ResizeObserver(() => this.resize()).observe(this.frame);
    // A field's size follows the page's width, and a hand that makes it higher, but no message below it.
    const fields = new ResizeObserver(() => this.fit());
    for (const field of this.fields) fields.observe(field);
    this.fit();
  }

  /** Ids are given here, because two of a kind can stand on one page. */
  name() {
    const kind = this.form.dataset.picture;
    const before = document.querySelectorAll(`form[data-picture="${kind}"][data-on]`).length;
    this.form.dataset.on = "";
    this.key = before ? `${kind}-${before + 1}` : kind;
    this.form.id = `play-${this.key}`;
    for (const [field, hint] of this.hints) {
      hint.id = `play-${this.key}-${field.name}`;
      field.setAttribute("aria-describedby", hint.id);
    }
  }

  state() {
    return Object.fromEntries(this.fields.map((field) => [field.name, field.value]));
  }

  preset(state) {
    for (const field of this.fields) if (field.name in state) field.value = state[field.name];
    this.update(0);
  }

  /** Take what the address says: a teacher can link to a state. */
  read() {
    const query = new URLSearchParams(location.search);
    for (const field of this.fields) {
      const value = query.get(`${this.key}.${field.name}`);
      const known = [...(field.options ?? [])].map((option) => option.value);
      if (value !== null && (!field.options || known.includes(value))) field.value = value;
    }
  }

  /** Put the state into the address, on the course's pages only: a notebook's address is not ours. */
  write() {
    if (!document.documentElement.hasAttribute("data-content_root")) return;
    const query = new URLSearchParams(location.search);
    for (const field of this.fields) query.set(`${this.key}.${field.name}`, field.value);
    try {
      history.replaceState(null, "", `?${query}#${this.form.id}`);
    } catch {
      // A page without an address of its own, such as a frame, keeps no state.
    }
  }

  /** Draw at once what can be drawn; wait with words about what cannot, since the reader may still be typing. */
  update(pause, write = true) {
    clearTimeout(this.timer);
    try {
      this.result = this.picture.model(this.state());
    } catch (error) {
      if (!(error instanceof Bad)) throw error;
      this.timer = setTimeout(() => this.refuse(error), pause);
      return;
    }
    for (const field of this.fields) this.tell(field, "");
    this.show();
    if (write) this.write();
  }

  tell(field, words) {
    const hint = this.hints.get(field);
    const shown = words || this.defaults.get(field);
    if (hint.textContent !== shown) hint.textContent = shown;
    hint.toggleAttribute("data-wrong", Boolean(words));
    if (words) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }

  refuse(error) {
    for (const field of this.fields) this.tell(field, field.name === error.field ? error.message : "");
    this.says.textContent = this.result
      ? "This input has no picture: the field says why. Below is the last one that had."
      : "This input has no picture: the field says why.";
    this.frame.toggleAttribute("data-stale", true);
  }

  show() {
    this.frame.toggleAttribute("data-stale", false);
    if (this.says.textContent !== this.result.says) this.says.textContent = this.result.says;
    this.redraw();
  }

  resize() {
    if (this.result && Math.abs(room(this.sheet) - this.width) > 1) this.redraw();
  }

  redraw() {
    this.width = room(this.sheet);
    this.draw(this.sheet, this.result);
  }

  draw(place, result) {
    const sheet = new Sheet(room(place));
    this.picture.draw(sheet, result);
    place.replaceChildren(sheet.close(result.says));
  }

  /** Make room for the highest of the examples, in the reader's own fonts: no more, and whichever is chosen. */
  fit() {
    const whole = this.frame.parentElement;
    const trial = this.frame.cloneNode(true);
    whole.style.height = trial.style.height = "auto";
    this.frame.after(trial);
    const [says, sheet] = trial.children;
    const heights = this.offered().map((state) => {
      const result = this.picture.model(state);
      says.textContent = result.says;
      this.draw(sheet, result);
      return trial.offsetHeight;
    });
    trial.remove();
    // One more, since heights are rounded.
    this.frame.style.height = `${Math.max(...heights) + 1}px`;
    // From now on a longer message below a field takes its room from the frame, and moves nothing else.
    whole.style.height = `${whole.offsetHeight}px`;
  }

  /** The states of the buttons, the start's first: each of the others leaves the rest as it is. */
  offered() {
    const states = [...this.form.querySelectorAll("button[data-state]")].map((one) => JSON.parse(one.dataset.state));
    return states.map((state) => ({ ...states[0], ...state }));
  }
}

/** Start every picture of a kind that has not been started: an output of a notebook does not know where it stands. */
function start(kind, picture) {
  for (const form of document.querySelectorAll(`form[data-picture="${kind}"]:not([data-on])`))
    new Play(form, picture).start();
}
