// When does it compile again: a sequence of calls, and what the cache is asked for each of them.

const CALLS = 24;
const BYTES_32 = 2 ** 31;
const DTYPES = ["float32", "float16", "int32", "int8", "bool"];

/** Reads the values of a call: arrays, Python's numbers and texts, and containers of them. */
class Values {
  constructor(reader) {
    this.reader = reader;
  }

  value() {
    const { reader } = this;
    if (reader.takes("[")) return { kind: "list", items: this.items("]") };
    if (reader.takes("(")) return this.inBrackets();
    if (reader.takes("{")) return this.dictionary();
    const text = reader.match(/'[^']*'|"[^"]*"/);
    if (text !== null) return { kind: "text", value: text.slice(1, -1) };
    return this.number() ?? this.word();
  }

  /** A tuple, or a value that only stands in brackets. */
  inBrackets() {
    const start = this.reader.at;
    const items = this.items(")");
    const comma = /,\s*\)$/.test(this.reader.text.slice(start, this.reader.at));
    return items.length === 1 && !comma ? items[0] : { kind: "tuple", items };
  }

  items(close) {
    const found = [];
    while (!this.reader.sees(close)) {
      found.push(this.value());
      if (!this.reader.sees(close)) this.reader.need(",", `A comma or the bracket ${close}`);
    }
    this.reader.need(close, `The bracket ${close}`);
    return found;
  }

  dictionary() {
    const entries = new Map();
    while (!this.reader.sees("}")) {
      const key = this.value();
      if (key.kind !== "text") this.reader.fail("The keys of a dictionary must be texts here.");
      this.reader.need(":", "A colon");
      entries.set(key.value, this.value());
      if (!this.reader.sees("}")) this.reader.need(",", "A comma or the bracket }");
    }
    this.reader.need("}", "The bracket }");
    return { kind: "dict", entries: [...entries].sort(([a], [b]) => (a < b ? -1 : 1)) };
  }

  number() {
    const words = this.reader.match(/[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?(?!\w)/);
    if (words === null) return null;
    const whole = /^[+-]?\d+$/.test(words);
    if (whole && /^[+-]?0+[1-9]/.test(words)) this.reader.fail(`${words}: Python takes no number that begins with 0.`);
    if (whole && words.length > 15) this.reader.fail(`${words} is too long for this picture.`);
    return { kind: whole ? "int" : "float", value: Number(words) };
  }

  word() {
    const { reader } = this;
    const name = reader.match(/(jnp\.|np\.)?[A-Za-z_]\w*/);
    if (name === null) reader.fail(reader.end() ? "A value or the bracket ) is missing." : `"${reader.rest()}" is no value.`);
    if (name === "True" || name === "False") return { kind: "bool", value: name === "True" };
    if (name === "None") return { kind: "none" };
    const bare = name.replace(/^j?np\./, "");
    const makes = ["ones", "zeros"].includes(bare);
    if (!makes && !DTYPES.slice(0, 4).includes(bare))
      reader.fail(`${name} is not among ones, zeros and ${DTYPES.slice(0, 4).join(", ")}.`);
    reader.need("(", "The bracket (");
    const array = makes ? this.array() : this.scalar(bare);
    reader.need(")", "The bracket )");
    return array;
  }

  array() {
    const shape = this.shape();
    let dtype = "float32";
    if (this.reader.takes(",") && !this.reader.sees(")")) {
      const written = this.reader.match(/(jnp\.|np\.)?\w+/) ?? "";
      dtype = written.replace(/^j?np\./, "");
      if (!DTYPES.includes(dtype)) this.reader.fail(`${written || "That"} is not among the dtypes ${DTYPES.join(", ")}.`);
    }
    return { kind: "array", shape, dtype };
  }

  shape() {
    const close = this.reader.takes("(") ? ")" : this.reader.takes("[") ? "]" : "";
    const shape = close ? numbers(this.reader, close) : [this.reader.int()];
    if (close) this.reader.need(close, `The bracket ${close}`);
    if (shape.some((length) => length === null || length < 0)) this.reader.fail("A shape has lengths from 0 on, such as 3 or (3, 4).");
    return shape;
  }

  scalar(dtype) {
    if (this.number() === null) this.reader.fail(`${dtype} needs a number.`);
    return { kind: "array", shape: [], dtype };
  }
}

/** The type of a value as JAX writes it, with ~ for a weak one, in the structure that it is in. */
function typed(value, fail) {
  if (value.kind === "array") return `${value.dtype}[${value.shape.join(",")}]`;
  if (value.kind === "float") return "~float32[]";
  if (value.kind === "bool") return "bool[]";
  if (value.kind === "none") return "None";
  if (value.kind === "text") fail("A text is no array: it can only be a static argument.");
  if (value.kind === "int") {
    if (value.value >= BYTES_32 || value.value < -BYTES_32) fail(`${value.value} does not fit into 32 bits.`);
    return "~int32[]";
  }
  if (value.kind === "dict") return `{${value.entries.map(([key, one]) => `'${key}': ${typed(one, fail)}`).join(", ")}}`;
  const items = value.items.map((one) => typed(one, fail));
  return value.kind === "list" ? `[${items.join(", ")}]` : tuple(items);
}

/** What is compared of a static value: inside a tuple, 1, 1.0 and True are equal. */
function compared(value, fail, inside = false) {
  if (["array", "list", "dict"].includes(value.kind)) fail("A static argument must be hashable, and this one is not.");
  if (value.kind === "tuple") return tuple(value.items.map((one) => compared(one, fail, true)));
  if (value.kind === "text") return JSON.stringify(value.value);
  if (value.kind === "none") return "None";
  const number = String(Number(value.value));
  return inside ? number : `${value.kind} ${number}`;
}

/** One line with a call of f: its arguments by position and by name. */
function callIn(text, number) {
  const reader = new Reader(text, "calls");
  reader.fail = (words) => {
    throw new Bad("calls", `Line ${number}: ${words}`);
  };
  if (reader.match(/f(?!\w)/) === null) reader.fail("Begin with f, as in f(ones(3), n=2).");
  reader.need("(", "The bracket (");
  const values = new Values(reader);
  const given = [];
  while (!reader.sees(")")) {
    const name = reader.match(/[A-Za-z_]\w*(?=\s*=)/);
    if (name !== null) reader.takes("=");
    if (name === null && given.some((one) => one.name)) reader.fail("Arguments without a name come first.");
    const start = reader.at;
    given.push({ name, value: values.value(), text: reader.text.slice(start, reader.at).trim() });
    if (!reader.sees(")")) reader.need(",", "A comma or the bracket )");
  }
  reader.need(")", "The bracket )");
  if (!reader.end()) reader.fail(`"${reader.rest()}" follows the call.`);
  const names = given.map(({ name }, i) => name ?? ["x", "n"][i]);
  if (given.length > 2 || names.some((name) => !["x", "n"].includes(name)) || new Set(names).size < names.length)
    reader.fail("f takes x and, if you like, n.");
  if (!names.includes("x")) reader.fail("f needs x.");
  return { given: given.map((one, i) => ({ ...one, argument: names[i] })), fail: reader.fail };
}

/** What the cache is asked for a call, and how it is written for people. */
function keyOf({ given, fail }, fixed) {
  const parts = given.map(({ name, argument, value, text }) => {
    const known = argument === fixed;
    const type = known ? text : typed(value, fail);
    const label = name ? `${name}=` : "";
    const equal = name !== null && !TYPES_COUNT;
    return { name, shown: `${label}${type}`, key: `${label}${known ? `static ${compared(value, fail, equal)}` : type}` };
  });
  // The order in which arguments are named makes no difference.
  parts.sort((a, b) => (a.name ?? "").localeCompare(b.name ?? ""));
  const join = (what) => `f(${parts.map((part) => part[what]).join(", ")})`;
  return { shown: join("shown"), key: join("key") };
}

const compiles = {
  model({ static: chosen, calls: text }) {
    const lines = text.split("\n").map((line, i) => ({ line: line.replace(/#.*/, "").trim(), number: i + 1 }));
    const written = lines.filter(({ line }) => line);
    if (!written.length) throw new Bad("calls", "No call yet: write a line such as f(ones(3)).");
    if (written.length > CALLS) throw new Bad("calls", `At most ${CALLS} calls have a picture here.`);
    const programs = new Map();
    const calls = written.map(({ line, number }) => {
      const { key, shown } = keyOf(callIn(line, number), chosen);
      const traced = !programs.has(key);
      if (traced) programs.set(key, { number: programs.size + 1, shown });
      return { line, traced, program: programs.get(key).number, shown: programs.get(key).shown };
    });
    return { says: compilesWords(calls, programs.size), calls, programs: calls.map((call) => call.program) };
  },

  draw(sheet, { calls }) {
    let y = sheet.heading(0, "Each call with the program that it runs. A filled number: traced and compiled for this call.");
    for (const { line, traced, program, shown } of calls) {
      sheet.rect(1, y + 6, 28, 26, traced ? { fill: ORANGE, "fill-opacity": 0.3, "stroke-width": 2 } : { "stroke-opacity": 0.5 });
      sheet.text(15, y + 24, String(program), { "font-weight": traced ? 700 : 400 });
      const left = { "text-anchor": "start" };
      const room = Math.floor((sheet.width - 38) / (12 * ADVANCE));
      const cut = (words) => (words.length > room ? `${words.slice(0, room - 1)}…` : words);
      sheet.text(38, y + 16, cut(line), left);
      sheet.text(38, y + 31, cut(traced ? `compiles ${shown}` : `runs program ${program} again`), { ...left, "font-size": 11, class: "faint" });
      y += 40;
    }
  },
};

function compilesWords(calls, count) {
  const words = [`${counted(calls.length, "call")}, ${counted(count, "program")}.`];
  calls.slice(0, 12).forEach(({ line, traced, program, shown }) => {
    words.push(traced ? `${line} compiles program ${program}: ${shown}.` : `${line} runs program ${program} again.`);
  });
  return words.join(" ");
}
