// A small expression forwards and backwards: its tape, with values, tangents and cotangents.

const MOST_LINES = 16;
const TINY = 2.2250738585072014e-308;

/** Four significant digits. */
function figure(value) {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").toLowerCase();
  if (Math.abs(value) < TINY) return "0";
  const [digits, power] = value.toExponential(3).split("e");
  const exponent = Number(power);
  return exponent < -3 || exponent > 5 ? `${digits}e${exponent}` : String(Number(`${digits}e${exponent}`));
}

/** Each function with its slope, from x and the value. */
const FUNCTIONS = {
  sin: [Math.sin, (x) => Math.cos(x)],
  cos: [Math.cos, (x) => -Math.sin(x)],
  exp: [Math.exp, (x, value) => value],
  log: [Math.log, (x) => 1 / x],
  sqrt: [Math.sqrt, (x, value) => 0.5 / value],
  tanh: [Math.tanh, (x, value) => 1 - value * value],
};

const OPERATORS = {
  "+": [(a, b) => a + b, () => [1, 1]],
  "-": [(a, b) => a - b, () => [1, -1]],
  "*": [(a, b) => a * b, (a, b) => [b, a]],
  "/": [(a, b) => a / b, (a, b) => [1 / b, -a * (1 / (b * b))]],
  "**": [power, (a, b, value, whole) => [whole === 0 ? 0 : b * power(a, b - 1), Math.log(a === 0 ? 1 : a) * value]],
};

/** The power, by the rules of floating-point numbers where JavaScript has its own. */
function power(a, b) {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}

/** Reads an expression, and writes a line of the tape for each operation. A number is not on the tape. */
class Tape {
  constructor(text, x, y) {
    this.lines = [
      { name: "x", made: "", value: x, operands: [], through: [] },
      { name: "y", made: "", value: y, operands: [], through: [] },
    ];
    this.reader = new Reader(text, "f");
    if (this.reader.end()) this.reader.fail("An expression is missing, such as x * sin(y).");
    this.result = this.sums();
    if (!this.reader.end()) this.reader.fail(this.odd());
    if (this.result.constant) this.reader.fail("It depends neither on x nor on y: nothing can be differentiated.");
  }

  odd() {
    const { reader } = this;
    if (reader.sees("^")) return "Python writes powers with **: x**2.";
    if (reader.sees(")")) return "There is a bracket ) too many.";
    return `"${reader.rest()}" cannot follow here; a product needs the sign *.`;
  }

  sums() {
    let left = this.products();
    for (;;) {
      const sign = this.reader.match(/[+-]/);
      if (sign === null) return left;
      left = this.combine(sign, left, this.products());
    }
  }

  products() {
    let left = this.signed();
    for (;;) {
      const sign = this.reader.match(/\*(?!\*)|\/(?!\/)/);
      if (sign === null) return left;
      left = this.combine(sign, left, this.signed());
    }
  }

  signed() {
    const sign = this.reader.match(/[+-]/);
    if (sign === null) return this.powers();
    const operand = this.signed();
    return sign === "+" ? operand : this.negative(operand);
  }

  powers() {
    const base = this.atom();
    return this.reader.takes("**") ? this.combine("**", base, this.signed()) : base;
  }

  atom() {
    const { reader } = this;
    if (reader.takes("(")) {
      const inner = this.sums();
      this.close();
      return inner;
    }
    const digits = reader.match(/(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i);
    if (digits !== null) return this.number(digits);
    const name = reader.match(/(j?np\.)?[A-Za-z_]\w*/)?.replace(/^j?np\./, "");
    if (name === "x" || name === "y") return this.lines[name === "x" ? 0 : 1];
    if (name !== undefined) return this.call(name);
    if (reader.end()) reader.fail("Something is missing at the end.");
    return reader.fail(`"${reader.rest()}" is no number, no x or y, and no function.`);
  }

  number(digits) {
    if (/^0+[1-9]\d*$/.test(digits)) this.reader.fail(`${digits}: Python takes no number that begins with 0.`);
    const value = Number(digits);
    if (!Number.isFinite(value)) this.reader.fail(`${digits} is too large.`);
    return { constant: true, value, whole: /^\d+$/.test(digits) ? value : null };
  }

  call(name) {
    if (!Object.hasOwn(FUNCTIONS, name))
      this.reader.fail(`${name} is not known here: x, y, sin, cos, exp, log, sqrt and tanh are.`);
    this.reader.need("(", `The bracket ( after ${name}`);
    const operand = this.sums();
    this.close();
    const [rule, slope] = FUNCTIONS[name];
    const value = rule(operand.value);
    return this.write([operand], `${name}(${nameOf(operand)})`, value, [slope(operand.value, value)]);
  }

  close() {
    if (!this.reader.sees(")") && !this.reader.end()) this.reader.fail(this.odd());
    this.reader.need(")", "The bracket )");
  }

  negative(operand) {
    const made = this.write([operand], `-${nameOf(operand)}`, -operand.value, [-1]);
    if (made.constant && operand.whole !== null) made.whole = -operand.whole;
    return made;
  }

  combine(sign, left, right) {
    const [rule, slopes] = OPERATORS[sign];
    const value = rule(left.value, right.value);
    const whole = right.constant ? right.whole : null;
    return this.write([left, right], `${nameOf(left)} ${sign} ${nameOf(right)}`, value, slopes(left.value, right.value, value, whole));
  }

  write(operands, made, value, slopes) {
    if (operands.every((one) => one.constant)) return { constant: true, value, whole: null };
    if (this.lines.length >= MOST_LINES) this.reader.fail(`At most ${MOST_LINES - 2} operations have a picture here.`);
    const on = operands.map((line, i) => ({ line, slope: slopes[i] })).filter(({ line }) => !line.constant);
    // JAX knows that a power of 0 depends on nothing: no derivative flows through it, so that not even infinity times 0 does.
    const through = on.filter(() => operands[1]?.whole !== 0 || !made.includes("**"));
    const line = { name: String.fromCharCode(95 + this.lines.length), made, value, operands: on, through };
    this.lines.push(line);
    return line;
  }

  /** Tangents: each line's slopes times its operands' tangents, in the order of the lines. */
  forwards(along) {
    for (const line of this.lines) {
      if (line.made) line.derivative = sum(line.through.map((one) => one.slope * one.line.derivative));
      else line.derivative = line.name === along ? 1 : 0;
    }
  }

  /** Cotangents: each line hands its own, times a slope, to each operand, where they are added. */
  backwards() {
    for (const line of this.lines) Object.assign(line, { derivative: 0, flows: false });
    Object.assign(this.result, { derivative: 1, flows: true });
    for (const line of [...this.lines].reverse().filter((one) => one.made))
      for (const one of line.flows ? line.through : []) {
        one.line.derivative += line.derivative * one.slope;
        one.line.flows = true;
      }
  }
}

const nameOf = (line) => (line.constant ? figure(line.value) : line.name);

/** A finite number in a field. */
function finite(state, field) {
  const text = state[field].trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    throw new Bad(field, text ? `"${text.slice(0, 12)}" is not a number: write 2 or -0.5.` : "A number is missing.");
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Bad(field, "The number is too large.");
  return value;
}

function stepsOf(text, count) {
  if (!text.trim()) return count;
  if (!/^\d+$/.test(text.trim())) throw new Bad("step", "A step is a whole number from 0 on.");
  return Math.min(Number(text), count);
}

/** What happens in a step. */
function stepWords(lines, made, shown, back) {
  if (!shown) return "The arguments are known.";
  if (shown <= made) {
    const { name, made: how, value, derivative } = lines[shown + 1];
    return `Forwards: ${name} = ${how} = ${figure(value)}${back ? "" : `, with the tangent ${figure(derivative)}`}.`;
  }
  const { name, derivative, operands } = lines[2 * made - shown + 2];
  const names = [...new Set(operands.map((one) => one.line.name))].join(" and ");
  return `Backwards: ${name} hands its cotangent ${figure(derivative)} on to ${names}.`;
}

function autodiffWords({ lines, result, along, shown, count, made }) {
  if (shown < count) return `${stepWords(lines, made, shown, !along)} Step ${shown} of ${count}.`;
  const [x, y] = lines;
  const told = along
    ? `Forwards, the tangent 1 of ${along} becomes df/d${along} = ${figure(result.derivative)}: one run for each argument.`
    : `Backwards, the cotangent 1 of f arrives as df/dx = ${figure(x.derivative)} and df/dy = ${figure(y.derivative)}: one backward pass for both.`;
  return `f(${figure(x.value)}, ${figure(y.value)}) = ${figure(result.value)}. ${told} ${counted(count, "step")}.`;
}

const autodiff = {
  model(state) {
    const tape = new Tape(state.f, finite(state, "x"), finite(state, "y"));
    const along = state.way.startsWith("forwards") ? state.way.at(-1) : "";
    if (along) tape.forwards(along);
    else tape.backwards();
    const made = tape.lines.length - 2;
    const count = along ? made : 2 * made;
    const found = { lines: tape.lines, result: tape.result, along, made, count, shown: stepsOf(state.step, count) };
    const [values, derivatives] = ["value", "derivative"].map((key) => tape.lines.map((line) => figure(line[key])));
    return { ...found, says: autodiffWords(found), values, derivatives, tape: tape.lines.map((line) => line.made) };
  },

  draw(sheet, { lines, result, along, made, count, shown }) {
    const kind = along ? "tangent" : "cotangent";
    const y = sheet.heading(0, `Each line is one operation: its value, and its ${kind}. Arcs lead from an operand to where it is used; numbers on the right are local slopes.`);
    const back = shown > made ? 2 * made - shown + 2 : Infinity;
    const done = shown === count;
    const now = done || !shown ? -1 : Math.min(back, shown + 1);
    lines.forEach((line, i) => {
      const at = y + i * ROW;
      if (i === now) sheet.rect(ARCS, at + 2, sheet.width - ARCS - 1, ROW - 4, { stroke: ORANGE, "stroke-width": 2 });
      const derivative = along || done ? line.derivative : received(lines, line, result, back);
      if (i > shown + 1) drawWaiting(sheet, at, line);
      else drawLine(sheet, at, line, derivative === null ? "" : `${kind} ${figure(derivative)}`, i === now);
    });
    lines.forEach((line, i) => drawArcs(sheet, y, lines, line, i, i === now));
  },
};

const ROW = 40;
const ARCS = 46;
const START = { "text-anchor": "start" };

/** The cotangent that a line has received when the lines from `back` on have handed theirs on; null before the first. */
function received(lines, line, result, back) {
  const givers = lines.slice(back).filter((one) => one.flows);
  const parts = givers.flatMap((giver) => giver.through.filter((one) => one.line === line).map((one) => giver.derivative * one.slope));
  if (line === result) return back < lines.length ? 1 : null;
  return parts.length ? sum(parts) : null;
}

function drawLine(sheet, y, { name, made, value, operands }, told, now) {
  const words = `${now ? "▶ " : ""}${name} ${made ? `= ${made} ` : ""}= ${figure(value)}`;
  sheet.text(ARCS + 6, y + 17, words, { ...START, "font-weight": 700 });
  if (told) sheet.text(ARCS + 6, y + 33, told, START);
  const slopes = operands.map((one) => `${one.line.name}: ${figure(one.slope)}`).join("  ");
  const room = sheet.width - ARCS - 12 - told.length * 12 * ADVANCE;
  if (fits(slopes, room, 11)) sheet.text(sheet.width - 6, y + 33, slopes, { "text-anchor": "end", "font-size": 11, class: "faint" });
}

function drawWaiting(sheet, y, { name, made }) {
  sheet.text(ARCS + 6, y + 17, `${name} = ${made}`, { ...START, "fill-opacity": 0.75 });
}

/** From each operand's line to the line that uses it, the wider the farther. */
function drawArcs(sheet, y, lines, line, i, now) {
  for (const one of line.operands) {
    const from = lines.indexOf(one.line);
    const bend = ARCS - 4 - Math.min(40, 8 + 5 * (i - from));
    const [start, end] = [y + from * ROW + 22, y + i * ROW + 14];
    const look = now ? { stroke: ORANGE, "stroke-width": 2.5 } : { "stroke-opacity": 0.6 };
    sheet.path(`M${ARCS - 2} ${start}C${bend} ${start} ${bend} ${end} ${ARCS - 2} ${end}`, look);
    sheet.path(`M${ARCS - 7} ${end - 4}l5 4l-5 4`, look);
  }
}
