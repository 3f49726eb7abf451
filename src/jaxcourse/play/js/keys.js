// Keys: what split and fold_in make of them, in the true numbers of JAX's generator, and which keys are used twice.

const MOST_KEYS = 40;
const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24];

/** Threefry-2x32 with 20 rounds: a key and a position, two numbers of 32 bits each, scrambled. */
function threefry([k0, k1], [c0, c1]) {
  const schedule = [k0, k1, (k0 ^ k1 ^ 0x1bd11bda) >>> 0];
  let [a, b] = [(c0 + k0) >>> 0, (c1 + k1) >>> 0];
  for (let group = 0; group < 5; group += 1) {
    for (const turn of ROTATIONS.slice((group % 2) * 4, (group % 2) * 4 + 4)) {
      a = (a + b) >>> 0;
      b = (((b << turn) | (b >>> (32 - turn))) ^ a) >>> 0;
    }
    a = (a + schedule[(group + 1) % 3]) >>> 0;
    b = (b + schedule[(group + 2) % 3] + group + 1) >>> 0;
  }
  return [a, b];
}

/** The number from 0 to 1 that a key draws. */
function uniformOf(key) {
  const [a, b] = threefry(key, [0, 0]);
  return ((a ^ b) >>> 9) / 2 ** 23;
}

const hex = (data) => data.map((word) => word.toString(16).padStart(8, "0")).join(" ");

/** A program of lines such as `a, b = split(key)`: the keys that it makes and how it uses them. */
class Program {
  constructor(text) {
    this.keys = [];
    this.values = new Map();
    this.bound = new Map();
    text.split("\n").forEach((line, i) => this.line(line.replace(/#.*/, "").trim(), i + 1));
    if (!this.keys.length) throw new Bad("program", "Nothing makes a key yet: begin with key = key(0).");
  }

  line(text, number) {
    if (!text) return;
    this.reader = new Reader(text, "program");
    this.reader.fail = (words) => {
      throw new Bad("program", `Line ${number}: ${words}`);
    };
    const targets = this.targets();
    const value = this.expression();
    if (!this.reader.end()) this.reader.fail(`"${this.reader.rest()}" cannot follow here.`);
    if (targets.length === 1) this.bind(targets[0], value);
    if (targets.length < 2) return;
    if (!Array.isArray(value)) this.reader.fail("Only split gives several keys for several names.");
    if (value.length !== targets.length)
      this.reader.fail(`split gives ${counted(value.length, "key")}, and ${targets.length} names take them.`);
    targets.forEach((name, i) => this.bind(name, value[i]));
  }

  /** The names before the sign =; none if the line has no such sign. */
  targets() {
    const { reader } = this;
    if (!reader.text.includes("=")) return [];
    const names = [];
    while (!reader.takes("=")) {
      const name = reader.match(/[A-Za-z_]\w*/);
      if (name === null) reader.fail(`"${reader.rest()}" is no name for a result.`);
      names.push(name);
      if (!reader.sees("=")) reader.need(",", "The sign =");
    }
    if (!names.length) reader.fail("A name is missing before the sign =.");
    return names;
  }

  /** A name takes a value; a key remembers it, numbered if the name has had other keys. */
  bind(name, value) {
    this.values.set(name, value);
    const keys = Array.isArray(value) ? value : typeof value === "object" ? [value] : [];
    keys.forEach((key, i) => {
      const written = Array.isArray(value) ? `${name}[${i}]` : name;
      const times = (this.bound.get(written) ?? 0) + 1;
      this.bound.set(written, times);
      key.name ??= times > 1 ? `${written} (${times})` : written;
    });
  }

  expression() {
    const { reader } = this;
    reader.takes("jax.random.");
    const name = reader.match(/[A-Za-z_]\w*/);
    if (name === null) reader.fail(reader.end() ? "A call is missing." : `"${reader.rest()}" is no call and no name.`);
    let value = reader.takes("(") ? this.call(name) : this.values.get(name);
    if (value === undefined) reader.fail(`${name} has no value yet.`);
    if (reader.takes("[")) {
      if (!Array.isArray(value)) reader.fail("Only what split gives has positions.");
      const at = reader.int();
      if (at === null || at >= value.length || at < -value.length) reader.fail(`There is no such position among ${counted(value.length, "key")}.`);
      reader.need("]", "The bracket ]");
      value = value[at < 0 ? at + value.length : at];
    }
    return value;
  }

  call(name) {
    const calls = { key: () => this.key(), split: () => this.split(), fold_in: () => this.foldIn(), uniform: () => this.uniform() };
    if (!Object.hasOwn(calls, name)) this.reader.fail(`${name} is not among key, split, fold_in and uniform.`);
    const value = calls[name]();
    this.reader.need(")", "The bracket )");
    return value;
  }

  key() {
    return this.made([0, this.number("A seed")], null, "key");
  }

  split() {
    const parent = this.one("split");
    const count = this.reader.takes(",") ? this.number("The count", 16) : 2;
    if (!count) this.reader.fail("split must give at least 1 key.");
    parent.uses.push("split");
    return range(count).map((i) => this.made(threefry(parent.data, [0, i]), parent, `split ${i}`));
  }

  foldIn() {
    const parent = this.one("fold_in");
    this.reader.need(",", "A comma with a number");
    const number = this.number("The number");
    parent.uses.push(`fold_in ${number}`);
    return this.made(threefry(parent.data, [0, number]), parent, `fold_in ${number}`);
  }

  uniform() {
    const key = this.one("uniform");
    key.uses.push("uniform");
    key.draws.push(uniformOf(key.data));
    return key.draws.at(-1);
  }

  /** The key that a call is given. */
  one(name) {
    const value = this.expression();
    if (Array.isArray(value)) this.reader.fail(`${name} takes one key: pick one of the ${value.length} with a position, such as [0].`);
    if (typeof value !== "object") this.reader.fail(`${name} takes a key, and this is a number.`);
    return value;
  }

  number(what, most = 2 ** 32 - 1) {
    const number = this.reader.int();
    if (number === null) this.reader.fail(`${what} must be a whole number.`);
    if (number < 0 || number > most) this.reader.fail(`${what} must be from 0 to ${most} here.`);
    return number;
  }

  made(data, parent, via) {
    const key = { data, parent, via, uses: [], draws: [], id: this.keys.length };
    if (this.keys.length >= MOST_KEYS) this.reader.fail(`At most ${MOST_KEYS} keys have a picture here.`);
    this.keys.push(key);
    return key;
  }
}

/** Whether uses are more than the one that a key has: a draw, a split, or numbers folded in, each once. */
function tooMany(uses) {
  const groups = new Set(uses.map((use) => use.split(" ")[0]));
  return groups.size > 1 || new Set(uses).size < uses.length;
}

const nameOf = (key) => key.name ?? `${nameOf(key.parent)}.${key.via.replace(" ", ".")}`;
const named = (key) => (key.name || key.parent ? nameOf(key) : `key ${hex(key.data)}`);

/** Keys with the same numbers are the same key, whatever made them. */
function alike(keys) {
  const found = new Map();
  for (const key of keys) found.set(hex(key.data), [...(found.get(hex(key.data)) ?? []), key]);
  return [...found.values()];
}

function keysWords(keys) {
  const draws = keys.flatMap((key) => key.draws).length;
  const words = [`${counted(keys.length, "key")}, ${counted(draws, "draw")}.`];
  const before = words.length;
  for (const same of alike(keys)) {
    const names = [...new Set(same.map(named))];
    if (same.length > 1) words.push(`✗ ${names.join(" and ")} ${names.length > 1 ? "are the same key" : "was made more than once"}.`);
    const uses = same.flatMap((key) => key.uses);
    if (tooMany(uses)) words.push(`✗ ${names[0]} has more than one use: ${uses.join(", ")}.`);
  }
  if (words.length === before) words.push("✓ No key is used twice.");
  for (const key of keys.slice(0, 12)) {
    const from = key.parent ? ` by ${key.via}` : "";
    const drawn = key.draws.map((value) => `, draws ${value.toFixed(6)}`).join("");
    words.push(`${named(key)}${from}: ${hex(key.data)}${drawn}.`);
  }
  return words.join(" ");
}

const keys = {
  model({ program }) {
    const made = new Program(program).keys;
    const wrong = new Set(alike(made).filter((same) => same.length > 1 || tooMany(same.flatMap((key) => key.uses))).flat());
    return { says: keysWords(made), made, wrong, data: made.map((key) => key.data), draws: made.map((key) => key.draws) };
  },

  draw(sheet, { made, wrong }) {
    let y = sheet.heading(0, "Every key with its 64 bits, under the key that it was made from. ✗ marks a key that is used twice.");
    const grow = (parent, depth) => {
      for (const key of made.filter((one) => one.parent === parent)) {
        drawKey(sheet, y, Math.min(depth, 8) * 14, key, wrong.has(key));
        y += 36;
        grow(key, depth + 1);
      }
    };
    grow(null, 0);
  },
};

function drawKey(sheet, y, x, key, wrong) {
  const left = { "text-anchor": "start" };
  if (x) sheet.path(`M${x - 8} ${y}v14h6`, { "stroke-opacity": 0.6 });
  const words = [wrong ? "✗" : "", named(key), key.parent ? `← ${key.via}` : "", ...key.draws.map((value) => `→ ${value.toFixed(4)}`)];
  sheet.text(x, y + 18, words.filter(Boolean).join(" "), { ...left, "font-weight": wrong ? 700 : 400 });
  sheet.text(x, y + 32, hex(key.data), { ...left, "font-size": 11, class: "faint" });
}
