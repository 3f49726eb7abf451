// Texts read from left to right, and the shapes in them.

/** Python's spelling of a tuple of numbers. */
const tuple = (items) => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;

/** Reads a text from left to right; every refusal belongs to one field. */
class Reader {
  constructor(text, field) {
    this.text = text;
    this.field = field;
    this.at = 0;
  }

  fail(words) {
    throw new Bad(this.field, words);
  }

  skip() {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /** Whether a text comes next; it is not taken. */
  sees(words) {
    this.skip();
    return this.text.startsWith(words, this.at);
  }

  takes(words) {
    const found = this.sees(words);
    if (found) this.at += words.length;
    return found;
  }

  /** Take what a pattern matches here, or return null. */
  match(pattern) {
    this.skip();
    const found = new RegExp(pattern, "y");
    found.lastIndex = this.at;
    const [words] = found.exec(this.text) ?? [null];
    this.at += words?.length ?? 0;
    return words;
  }

  rest() {
    this.skip();
    const rest = this.text.slice(this.at);
    return rest.length > 12 ? `${rest.slice(0, 12)}…` : rest;
  }

  end() {
    this.skip();
    return this.at === this.text.length;
  }

  /** A whole number with its sign, or null. */
  int() {
    const words = this.match(/[+-]?\s*\d+(?![\w.])/);
    if (words === null) return null;
    const digits = words.replace(/[\s+-]/g, "");
    if (/^0+[1-9]/.test(digits)) this.fail(`${words}: Python takes no number that begins with 0.`);
    if (digits.length > 15) this.fail(`${words} is larger than any array.`);
    return Number(words.replace(/\s/g, "")) || 0;
  }

  need(words, what) {
    if (this.takes(words)) return;
    this.fail(this.end() ? `${what} is missing at the end.` : `${what} is missing before "${this.rest()}".`);
  }
}

/** Whole numbers with commas up to a closing bracket or the end. */
function numbers(reader, close) {
  const found = [];
  while (!(close ? reader.sees(close) : reader.end())) {
    const number = reader.int();
    if (number === null) reader.fail(`"${reader.rest()}" is not a whole number: write numbers with commas.`);
    found.push(number);
    if (close ? reader.sees(close) : reader.end()) break;
    reader.need(",", "A comma");
  }
  return found;
}

/** The lengths of axes, with brackets or without. */
function shapeIn(text, field) {
  const reader = new Reader(text.trim(), field);
  if (!reader.text) reader.fail("A shape is missing: write lengths with commas, or () for a single number.");
  const close = reader.takes("(") ? ")" : reader.takes("[") ? "]" : "";
  const shape = numbers(reader, close);
  if (close) reader.need(close, `The bracket ${close}`);
  if (!reader.end()) reader.fail(`"${reader.rest()}" follows the shape: a shape is lengths with commas.`);
  const negative = shape.find((length) => length < 0);
  if (negative !== undefined) reader.fail(`An axis cannot have the length ${negative}.`);
  if (shape.length > 64) reader.fail("NumPy's arrays have at most 64 axes.");
  return shape;
}

/** Every index of a shape as a list, in C order. */
function indices(shape) {
  return shape.reduce((found, length) => found.flatMap((index) => range(length).map((i) => [...index, i])), [[]]);
}
