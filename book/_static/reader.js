// What is typed into a field, as a value: the one reader of predictions and of exercises. It takes what Python takes, and
// numbers as people write them, with or without a unit. What it does not understand it raises as `Unread`, whose message
// says why and whose `offers` are what may have been meant: that is asked, and never judged.
//   reader.number("50 gigabytes per second", { unit: "GB/s" })  { value: 50, bare: false }
//   reader.shape("3 x 4")                                       [3, 4]
//   reader.numbers("[0. 7.5 -1.]")                              [0, 7.5, -1]
//   reader.read("2**10", ["number"])                            1024n, as Python has it
// A field has a `unit`, as it stands behind it, and `words`, the text around it: nouns from there may follow a number.
window.reader = (() => {
  "use strict";

  // -- as Python reads it: whole numbers as BigInt, floats as numbers, tuples and lists as arrays -------------------

  class Unread extends Error {
    constructor(message, offers = []) {
      super(message);
      this.offers = offers;
    }
  }

  const LARGEST = 4096n; // bits of a whole number: enough for every answer, and 9**9**9 must not stop the page
  const LIBRARY = /^(np|jnp|math)\./;
  const VALUES = { True: true, False: false, None: null };
  const ODD = { nan: NaN, inf: Infinity };
  const TOKEN = new RegExp(
    [
      String.raw`(?<hex>0[xX][\da-fA-F]+)`,
      String.raw`(?<float>\d[\d_]*\.(?:\d[\d_]*)?(?:[eE][+-]?\d+)?|\.\d[\d_]*(?:[eE][+-]?\d+)?|\d[\d_]*[eE][+-]?\d+)`,
      String.raw`(?<int>\d[\d_]*)`,
      String.raw`(?<name>[A-Za-z_][\w.]*)`,
      String.raw`(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`,
      String.raw`(?<mark>\*\*|\/\/|[-+*\/%(),[\]^])`,
    ].join("|"),
    "y",
  );

  const misplaced = (sign) =>
    new Unread(/^["']$/.test(sign) ? "a quotation mark is not closed" : `\`${sign}\` does not belong there`);

  const tokens = (text) => {
    const found = [];
    for (let at = 0; at < text.length; ) {
      if (/\s/.test(text[at])) {
        at += 1;
        continue;
      }
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(text);
      if (!match) throw misplaced(text[at]);
      const [kind, source] = Object.entries(match.groups).find(([, part]) => part !== undefined);
      found.push({ kind, source });
      at = TOKEN.lastIndex;
    }
    return found;
  };

  /** An array that was written as a list, which to Python is no tuple. */
  const asList = (values) => Object.assign(values, { list: true });
  const isList = (value) => Array.isArray(value) && value.list === true;

  const unquoted = (source) => source.slice(1, -1).replace(/\\(.)/g, (_, sign) => ({ n: "\n", t: "\t" })[sign] ?? sign);
  const isNumber = (value) => typeof value === "bigint" || typeof value === "number";
  const bits = (whole) => BigInt((whole < 0n ? -whole : whole).toString(2).length);

  const power = (a, b) => {
    if (typeof a === "bigint" && typeof b === "bigint" && b >= 0n) {
      if (bits(a) * b > LARGEST) throw new Unread("that number is too large");
      return a ** b;
    }
    const [x, y] = [Number(a), Number(b)];
    if (x === 0 && y < 0) throw new Unread("it divides by zero");
    const result = x ** y;
    const finite = Number.isFinite(x) && Number.isFinite(y);
    if (finite && Number.isNaN(result)) throw new Unread("it is a root of a negative number");
    if (finite && !Number.isFinite(result)) throw new Unread("that number is too large");
    return result;
  };
  /** The remainder with the sign of the divisor, as in Python. */
  const remainder = (a, b, zero) => {
    const rest = a % b;
    return rest !== zero && rest < zero !== b < zero ? rest + b : rest;
  };
  const floored = (a, b) =>
    typeof a === "bigint" ? (a - remainder(a, b, 0n)) / b : Math.round((a - remainder(a, b, 0)) / b);

  const computed = (sign, a, b) => {
    if (!isNumber(a) || !isNumber(b)) throw new Unread(`\`${sign}\` stands between two numbers`);
    if (sign === "**") return power(a, b);
    const whole = typeof a === "bigint" && typeof b === "bigint" && sign !== "/";
    const [x, y] = whole ? [a, b] : [Number(a), Number(b)];
    if (["/", "//", "%"].includes(sign) && Number(y) === 0) throw new Unread("it divides by zero");
    if (sign === "//") return floored(x, y);
    if (sign === "%") return remainder(x, y, whole ? 0n : 0);
    const result = { "+": () => x + y, "-": () => x - y, "*": () => x * y, "/": () => x / y }[sign]();
    if (whole && bits(result) > LARGEST) throw new Unread("that number is too large");
    return result;
  };

  const called = (name, value) => {
    const plain = name.replace(LIBRARY, "");
    if (plain === "float" && typeof value === "string") {
      const [, sign, odd] = /^([+-]?)(nan|inf)$/i.exec(value.trim()) ?? [];
      if (odd) return sign === "-" ? -ODD[odd.toLowerCase()] : ODD[odd.toLowerCase()];
    }
    if (plain === "float" && isNumber(value)) return Number(value);
    if (plain === "sqrt" && isNumber(value) && value >= 0) return Math.sqrt(Number(value));
    throw new Unread(`\`${name}(...)\` is not computed on this page`);
  };

  /** A value from an expression of numbers, texts, tuples and lists; where texts are expected, a bare word is one. */
  const expression = (text, words) => {
    const found = tokens(text);
    let at = 0;
    const next = () => found[at]?.source;
    const takes = (...signs) => (found[at]?.kind === "mark" && signs.includes(next()) ? found[at++].source : "");
    const close = (bracket) => {
      if (!takes(bracket)) throw at < found.length ? misplaced(next()) : new Unread("a bracket is not closed");
    };

    const items = (end) => {
      const values = [];
      let commas = 0;
      while (at < found.length && next() !== end) {
        values.push(sum());
        if (!takes(",")) break;
        commas += 1;
      }
      return { values, commas };
    };
    const atom = () => {
      const token = found[at++];
      if (!token) throw new Unread("something is missing at its end");
      const { kind, source } = token;
      if (kind === "hex") return BigInt(source);
      if (kind === "int" && /^0[\d_]*[1-9]/.test(source)) throw new Unread(`\`${source}\` begins with a zero`);
      if (kind === "int") return BigInt(source.replaceAll("_", ""));
      if (kind === "float") return Number(source.replaceAll("_", ""));
      if (kind === "text") return unquoted(source);
      if (kind === "name") return named(source);
      if (source !== "(" && source !== "[") throw misplaced(source);
      const bracket = source === "(" ? ")" : "]";
      const { values, commas } = items(bracket);
      close(bracket);
      if (source === "[") return asList(values);
      return values.length === 1 && !commas ? values[0] : values;
    };
    const named = (name) => {
      if (takes("(")) {
        const value = sum();
        close(")");
        return called(name, value);
      }
      if (Object.hasOwn(VALUES, name)) return VALUES[name];
      const odd = name.replace(LIBRARY, "");
      if (Object.hasOwn(ODD, odd)) return ODD[odd];
      if (words) return name;
      throw new Unread(`\`${name}\` is a name, and no value`);
    };
    const raised = () => {
      const base = atom();
      return takes("**", "^") ? computed("**", base, factor()) : base; // nobody means bits by 2^10
    };
    const factor = () => {
      const sign = takes("-", "+");
      if (!sign) return raised();
      const value = factor();
      if (!isNumber(value)) throw new Unread(`\`${sign}\` stands before a number`);
      return sign === "-" ? -value : value;
    };
    const chain = (part, ...signs) => () => {
      let value = part();
      for (let sign = takes(...signs); sign; sign = takes(...signs)) value = computed(sign, value, part());
      return value;
    };
    const term = chain(factor, "*", "/", "//", "%");
    const sum = chain(term, "+", "-");

    const { values, commas } = items("");
    if (at < found.length) throw misplaced(next());
    return values.length === 1 && !commas ? values[0] : values;
  };

  // -- digits, as people write them -------------------------------------------------------------------------------

  const SPACES = "\u00a0\u202f\u2009";
  const LITERAL = new RegExp(
    String.raw`^(?:\d+(?:(?:[.,_'’]|[ ${SPACES}](?=\d{3}(?!\d)))\d+)*\.?|\.\d+)(?:[eE][-+]?\d+)?`,
  );
  const HALVES = { "½": 0.5, "¼": 0.25, "¾": 0.75 };

  /** 1,024 or 1 024 or 1_024 or 1'024 or 1.024.000; 0,5 and 1.024,5 as in half of Europe. */
  const digits = (source) => {
    const [mantissa, exponent = "0"] = source.toLowerCase().split("e");
    const apart = new RegExp(`[ '’${SPACES}]`, "g");
    const inThrees = !apart.test(mantissa) || new RegExp(`^\\d{1,3}(?:[ '’${SPACES}]\\d{3})+(?:[.,]\\d*)?$`).test(mantissa);
    const plain = mantissa.replace(apart, "").replaceAll("_", "");
    const [commas, dots] = [plain.split(",").length - 1, plain.split(".").length - 1];
    const thousands = (sign) => new RegExp(`^[1-9]\\d{0,2}(?:\\${sign}\\d{3})+(?:${sign === "," ? "\\." : ","}\\d*)?$`);
    const as = (sign, point) => Number(`${plain.replaceAll(sign, "").replace(point, ".")}e${exponent}`);
    if (!inThrees) throw new Unread(`\`${source}\` can be read in more than one way`);
    if (commas === 0 && dots < 2) return as("_", ".");
    if (thousands(",").test(plain)) return as(",", ".");
    if (dots !== 1 && thousands(".").test(plain)) return as(".", ",");
    if (dots === 1 && /^[1-9]\d{0,2}\.\d{3},\d+$/.test(plain)) return as(".", ",");
    if (commas === 1 && dots === 0) return as("_", ",");
    throw new Unread(`\`${source}\` can be read in more than one way`);
  };

  /** The arithmetic at the beginning of a text, 5 x 10^10 or 2048/2, and what follows it; nothing where it has no number. */
  const arithmetic = (text) => {
    let at = 0;
    const rest = () => text.slice(at);
    const take = (pattern) => {
      const found = pattern.exec(rest());
      if (found) at += found[0].length;
      return found?.[0].trim();
    };
    /** A sign that stands before another number; before anything else it belongs to the words. */
    const between = (signs) => take(new RegExp(`^\\s*(?:${signs})(?=\\s*[-+]?\\s*(?:[\\d(½¼¾]|\\.\\d|sqrt\\())`));
    const atom = () => {
      if (take(/^\s*sqrt\s*(?=\()/)) return Math.sqrt(atom());
      if (take(/^\s*\(/)) {
        const value = sum();
        if (!take(/^\s*\)/)) throw new Unread("a bracket is not closed");
        return value;
      }
      const half = take(/^\s*[½¼¾]/);
      if (half) return HALVES[half];
      take(/^\s*/);
      const source = LITERAL.exec(rest())?.[0];
      if (!source) throw new Unread("there is no number at its beginning");
      at += source.length;
      const more = take(/^\s?[½¼¾]/);
      return digits(source) + (more ? HALVES[more] : 0);
    };
    const signed = (part) => {
      const sign = take(/^\s*[-+]/);
      const value = part();
      return sign === "-" ? -value : value;
    };
    const raised = () => {
      const base = atom();
      return between(String.raw`\*\*|\^`) ? base ** signed(raised) : base;
    };
    const chain = (part, signs) => () => {
      let value = signed(part);
      for (let sign = between(signs); sign; sign = between(signs)) {
        const next = signed(part);
        value = sign === "//" ? Math.floor(value / next) : sign === "/" ? value / next : "+-".includes(sign) ? value + (sign === "-" ? -next : next) : value * next;
      }
      return value;
    };
    const sum = chain(chain(raised, String.raw`\*(?!\*)|[×·xX]|\/\/?`), "[-+]");
    return { value: sum(), rest: rest() };
  };

  // -- numbers in words -------------------------------------------------------------------------------------------

  const SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
  const COUNTS = new Map([
    ...SMALL.split(" ").map((word, i) => [word, i]),
    ..."twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, i) => [word, 10 * (i + 2)]),
  ]);
  const SCALES = new Map(
    Object.entries({ dozen: 12, hundred: 100, thousand: 1e3, million: 1e6, mio: 1e6, billion: 1e9, bn: 1e9, trillion: 1e12 }),
  );
  const PARTS = new Map(Object.entries({ half: 2, third: 3, quarter: 4, fourth: 4, fifth: 5, eighth: 8, tenth: 10, hundredth: 100, thousandth: 1000 }));
  const MULTIPLES = new Map(Object.entries({ once: 1, twice: 2, double: 2, thrice: 3, triple: 3, quadruple: 4 }));
  const singular = (word) => word.replace(/halves$/, "half").replace(/s$/, "");

  /** A number in words at the beginning of a text, and what follows; a `share` is a half or two thirds. */
  const wording = (text) => {
    let left = text.replace(/^(?:the\s+)?(?=double|triple|quadruple)/i, "");
    const peek = (n = 0) => /^[a-z]*/i.exec(left.split(/[\s-]+/)[n] ?? "")[0].toLowerCase();
    const drop = () => (left = left.trimStart().replace(/^[a-z]+/i, "").replace(/^[\s-]+(?=[a-z])/i, ""));
    const multiple = MULTIPLES.get(peek());
    if (multiple) return drop(), { value: multiple, rest: left, times: true };
    let [total, current, share, any] = [0, undefined, false, false];
    for (;;) {
      const word = peek();
      const fold = /^(\w+)fold$/.exec(word)?.[1];
      if (fold && !any && COUNTS.has(fold)) return drop(), { value: COUNTS.get(fold), rest: left, times: true };
      if ((word === "a" || word === "an") && (SCALES.has(peek(1)) || PARTS.has(peek(1)))) current ??= 1;
      else if (word === "and" && any && (COUNTS.has(peek(1)) || PARTS.has(peek(2)))) {
        drop();
        if (PARTS.has(peek(1)) && ["a", "one"].includes(peek())) {
          drop();
          const part = 1 / PARTS.get(peek());
          drop();
          current = (current ?? 0) + part;
        }
        continue;
      } else if (COUNTS.has(word)) current = (current ?? 0) + COUNTS.get(word);
      else if (PARTS.has(singular(word)) && (word !== "second" || any)) {
        [current, share] = [(current ?? 1) / PARTS.get(singular(word)), true];
      } else if (SCALES.has(singular(word)) && (current !== undefined || total || share)) {
        const scale = SCALES.get(singular(word));
        if (scale === 100 || scale === 12) current = (current ?? 1) * scale;
        else [total, current] = [total + (current ?? 1) * scale, undefined];
        share = false;
      } else break;
      any = true;
      drop();
    }
    return any ? { value: total + (current ?? 0), rest: left, share } : null;
  };

  // -- units ------------------------------------------------------------------------------------------------------

  const SHORT = { "": 1, p: 1e-12, n: 1e-9, µ: 1e-6, μ: 1e-6, u: 1e-6, m: 1e-3, c: 1e-2, h: 1e2, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
  const BINARY = { k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4, P: 1024 ** 5 };
  const LONG = { "": 1, nano: 1e-9, micro: 1e-6, milli: 1e-3, centi: 1e-2, hecto: 1e2, kilo: 1e3, mega: 1e6, giga: 1e9, tera: 1e12, peta: 1e15 };
  const LONG_BINARY = { kibi: 1024, mebi: 1024 ** 2, gibi: 1024 ** 3, tebi: 1024 ** 4 };
  const ALL_LONG = { ...LONG, ...LONG_BINARY };
  const long = Object.keys(ALL_LONG).filter(Boolean).join("|");
  const END = String.raw`(?![a-zA-Zµμ])`;
  /** How each kind is written: a pattern at the beginning, and how much one of it is, in the kind's own unit. */
  const KINDS = [
    ["B", new RegExp(`^(${long})?[- ]?(byte|bit)s?${END}`, "i"), ([, prefix = "", of]) => ALL_LONG[prefix.toLowerCase()] / (of.toLowerCase() === "bit" ? 8 : 1)],
    ["B", new RegExp(`^([kKMGTP]?)bits?${END}`), ([, prefix]) => SHORT[prefix] / 8],
    ["B", new RegExp(`^(gig|meg)s?${END}`, "i"), ([, prefix]) => LONG[`${prefix.toLowerCase()}a`]],
    ["B", new RegExp(`^([kKMGTP])iB${END}`), ([, prefix]) => BINARY[prefix]],
    ["B", new RegExp(`^([kKMGTP]?)B(?=ps|${END})`), ([, prefix]) => SHORT[prefix]],
    ["B", new RegExp(`^([kmgtp])b(?=ps|${END})`), ([, prefix]) => SHORT[prefix === "k" ? prefix : prefix.toUpperCase()]],
    ["op", new RegExp(`^(${long})?[- ]?(?:floating[- ]point )?(?:flops?|operations?|ops?)(?=\\/|${END})`, "i"), ([, prefix = ""]) => ALL_LONG[prefix.toLowerCase()]],
    ["op", new RegExp(`^([kKMGTPgt]?)(?:FLOP|flop|Flop)[sS]?(?=\\/|${END})`), ([, prefix]) => SHORT[prefix] ?? SHORT[prefix.toUpperCase()]],
    ["s", new RegExp(`^(nano|micro|milli)?(?:seconds?|secs?)${END}`, "i"), ([, prefix = ""]) => LONG[prefix.toLowerCase()]],
    ["s", new RegExp(`^([pnµμum]?)s(?:ecs?)?${END}`), ([, prefix]) => SHORT[prefix]],
    ["s", new RegExp(`^(?:minutes?|mins?)${END}`, "i"), () => 60],
    ["s", new RegExp(`^(?:hours?|hrs?|h)${END}`), () => 3600],
    ["s", new RegExp(`^days?${END}`), () => 86400],
    ["s", new RegExp(`^weeks?${END}`), () => 604800],
    ["s", new RegExp(`^(?:years?|yr)${END}`), () => 31557600],
    ["%", /^(?:%|per ?cent\b|pct\b)/i, () => 1],
    ["times", new RegExp(`^(?:times\\b|fold\\b|-fold\\b|[x×]${END})`, "i"), () => 1],
    ["Pa", new RegExp(`^(hecto|kilo|mega)?pascals?${END}`, "i"), ([, prefix = ""]) => LONG[prefix.toLowerCase()]],
    ["Pa", new RegExp(`^([hkM]?)Pa${END}`), ([, prefix]) => SHORT[prefix]],
    ["m", new RegExp(`^(nano|micro|milli|centi|kilo)?met(?:re|er)s?${END}`, "i"), ([, prefix = ""]) => LONG[prefix.toLowerCase()]],
    ["m", new RegExp(`^([nµμumck]?)m${END}`), ([, prefix]) => SHORT[prefix]],
  ];
  const A_SECOND = new RegExp(`^(?:ps${END}|\\s*(?:\\/|per\\b|an?\\b|each\\b|every\\b)\\s*(?:seconds?|sec|s)${END}|\\s*s(?:\\^-1|⁻¹|-1))`);

  /** The unit at the beginning of a text, and what follows: { kind, scale, name, rest }, or nothing. */
  const unitAt = (text) => {
    const start = text.trimStart();
    for (const [kind, pattern, scale] of KINDS) {
      const found = pattern.exec(start);
      if (!found) continue;
      const rest = start.slice(found[0].length);
      const flops = kind === "op" && /flops$/i.test(found[0]); // with its s, it is a rate
      const rate = ["B", "op"].includes(kind) ? A_SECOND.exec(rest)?.[0] : undefined;
      const whole = start.slice(0, found[0].length + (rate ?? "").length);
      return { kind: rate || flops ? `${kind}/s` : kind, scale: scale(found), name: whole, rest: rest.slice((rate ?? "").length) };
    }
    return null;
  };
  /** What stands behind a field, as a unit; other words, such as "arrays", count things. */
  const unitOf = (label = "") => {
    const found = label && unitAt(label);
    if (!found || (found.kind !== "times" && found.rest.trim())) return { kind: label ? "things" : "number", scale: 1 };
    return found;
  };
  const PREFIXED = ["B", "B/s", "op", "op/s"];

  // -- a number ---------------------------------------------------------------------------------------------------

  const HEDGES = /^(?:(?:i\s+(?:would\s+)?(?:say|guess|think)|it\s+is|it's|about|around|roughly|some|approximately|approx\.?|circa|ca\.?|nearly|almost|maybe|perhaps|probably|exactly|by)(?![a-z])|[~≈=≃])\s*/i;
  const RAISED = { "⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9, "⁻": "-" };
  const tidy = (text) => {
    let plain = text.trim().replace(/[−–—]/g, "-").replace(/(\d)([⁻⁰¹²³⁴-⁹]+)/g, (_, base, power) => `${base}^${[...power].map((sign) => RAISED[sign]).join("")}`);
    while (HEDGES.test(plain)) plain = plain.replace(HEDGES, "");
    return plain.replace(/[.!]$/, (sign) => (/\d\.$/.test(plain) ? sign : ""));
  };
  /** 3-4 and 10 to 20 are two numbers. */
  const RANGE = /^(\d[\d.,]*)\s*(?:-|to\b|\.\.+|or\b|and\b)\s*(\d[\d.,]*)/;
  const isRange = (plain) => {
    const [, first, second] = RANGE.exec(plain) ?? [];
    return first !== undefined && Number(second.replaceAll(",", "")) > Number(first.replaceAll(",", ""));
  };

  const evaluated = (text) => {
    try {
      return expression(text, false);
    } catch (error) {
      if (error instanceof Unread) return undefined;
      throw error;
    }
  };
  const python = (plain) => {
    const value = evaluated(plain);
    if (Array.isArray(value) && (isList(value) || plain.startsWith("("))) throw new Unread("it is more than one number");
    return isNumber(value) ? { value: Number(value), rest: "" } : null;
  };
  /** The number at the beginning of a text, and what follows it. */
  const amount = (plain) => {
    const factor = /^(?:(?:an?\s+)?factor(?:\s+of)?\s+|[x×]\s*)(?=[\d.(a-z])/i.exec(plain)?.[0];
    if (factor) return { ...amount(plain.slice(factor.length)), times: true };
    if (/^[-+\s]*[\d.(½¼¾]|^[-+\s]*sqrt/.test(plain)) {
      if (/^[-+]\s*[-+]/.test(plain)) throw new Unread("it has two signs");
      const found = python(plain) ?? arithmetic(plain);
      const scale = /^[\s-]*([a-z]+)(?![a-z])/i.exec(found.rest);
      const word = scale && singular(scale[1].toLowerCase());
      if (!SCALES.has(word)) return found;
      return { value: found.value * SCALES.get(word), rest: found.rest.slice(scale[0].length), inWords: true };
    }
    const found = wording(plain);
    if (!found) throw new Unread("there is no number at its beginning");
    return { ...found, inWords: true };
  };

  const FILLING = new Set("a about all altogether and approximately as at each every exactly for in is it long many maybe more much of on or overall per probably roughly so takes that the then they this to total".split(" "));
  const stem = (word) => word.toLowerCase().replace(/s$/, "");
  /** What is left behind number and unit may be words of the question, and nothing else. */
  const requireWords = (rest, { unit = "", words = "" }) => {
    const counted = ["things", "times"].includes(unitOf(unit).kind) ? unit : ""; // a unit has its own way to be written
    const known = new Set([...(words.match(/[a-z]+/gi) ?? []), ...(counted.match(/[a-z]+|\d+/gi) ?? [])].map(stem));
    const odd = rest.match(/[^\s.,!;:]+/g)?.find((one) => !/^(?:[a-z]+|\d+)$/i.test(one) || !(known.has(stem(one)) || FILLING.has(one.toLowerCase())));
    if (odd) throw new Unread(`\`${odd.replaceAll("`", "")}\` is not understood`);
  };

  const LETTER = /^\s?([kKMGTPgt])(?=$|\s|\/)/;
  /** What follows a number, as what it says of it: { given, rest }; a lone letter is a prefix of the field's own unit. */
  const unitGiven = (rest, unit) => {
    const given = unitAt(rest);
    if (given) return { given, rest: given.rest };
    const letter = LETTER.exec(rest);
    if (!letter) return { given: null, rest };
    const scale = SHORT[letter[1] === "k" ? "k" : letter[1].toUpperCase()];
    const behind = rest.slice(letter[0].length);
    const rate = A_SECOND.exec(behind)?.[0] ?? "";
    const kind = PREFIXED.includes(unit.kind) ? unit.kind : "scaled";
    return { given: { kind, scale, name: letter[0].trim() }, rest: behind.slice(rate.length) };
  };

  /** How many of the field's unit one of what is given makes; nothing where that is another thing. */
  const inUnit = (given, unit, field) => {
    if (given.kind === unit.kind) return given.scale / unit.scale;
    if (given.kind === "scaled" && unit.scale === 1 && unit.kind !== "%") return given.scale;
    if (`${given.kind}/s` === unit.kind) return given.scale / unit.scale; // the field has said already: in a second
    if (["number", "things"].includes(unit.kind) && given.kind === "times") return 1;
    if (["number", "times"].includes(unit.kind) && given.kind === "%") return 0.01;
    // In a count, the thing that is counted: bytes, where the question says bytes.
    const named = given.scale === 1 && /^[a-z]{3,}$/i.test(given.name);
    const asked = `${field.unit ?? ""} ${field.words ?? ""}`.match(/[a-z]+/gi)?.map(stem) ?? [];
    return ["number", "things"].includes(unit.kind) && named && asked.includes(stem(given.name)) ? 1 : undefined;
  };

  /** A number in the unit of a field; `bare` where it was written without a unit or a scale of its own. */
  const number = (text, field = {}) => {
    const [plain, unit] = [tidy(text), unitOf(field.unit)];
    if (isRange(plain)) throw new Unread("it is more than one number");
    if (unit.kind === "times" && /^(?:just\s+)?(?:the\s+same|equal(?:ly)?|as\s+(?:long|much|many))\b/i.test(plain)) return { value: 1, bare: false };
    const { value, rest: after, times, share, inWords } = amount(plain);
    const behind = share ? after.replace(/^\s*(?:of\s+)?an?\s+/i, "") : after; // half a second
    if (!Number.isFinite(value)) throw new Unread("it is no finite number");
    const { given: written, rest } = unitGiven(behind, unit);
    const given = written ?? (times ? { kind: "times", scale: 1, name: "times" } : null);
    if (!given) {
      requireWords(rest, field);
      if (unit.kind === "%" && share) return { value: 100 * value, bare: false };
      if (unit.kind === "%" && value !== 0 && Math.abs(value) < 1) {
        const offers = [100 * value, value].map((one) => `${sixDigits(one)} %`);
        throw new Unread(`it may be ${offers.join(" or ")}`, offers);
      }
      if (share && !["times", "number"].includes(unit.kind)) throw new Unread("it is a share, and does not say of what");
      if (inWords && unit.scale !== 1) throw new Unread(`it does not say of which unit, and the field is in ${field.unit}`);
      return { value, bare: !inWords };
    }
    const scale = inUnit(given, unit, field);
    if (scale === undefined) {
      const wants = field.unit ? `is asked for in ${field.unit}` : "is asked for as a plain number";
      throw new Unread(`\`${given.name.trim()}\` does not fit: it ${wants}`);
    }
    requireWords(rest, field);
    return { value: value * scale, bare: false };
  };
  const sixDigits = (value) => String(Number(value.toPrecision(6)));

  // What may have been left out behind a number, with the largest first.
  const PREFIXES = ["T", "G", "M", "k", ""];
  const LARGE = ["trillion", "billion", "million", "thousand"];
  const LEFT_OUT = {
    B: PREFIXES.map((prefix) => (prefix ? `${prefix}B` : "bytes")),
    "B/s": PREFIXES.map((prefix) => (prefix ? `${prefix}B/s` : "bytes/s")),
    op: PREFIXES.map((prefix) => `${prefix}FLOP`),
    "op/s": PREFIXES.map((prefix) => `${prefix}FLOP/s`),
    s: ["hours", "minutes", "s", "ms", "µs", "ns"],
    m: ["km", "m", "cm", "mm"],
    number: LARGE,
    things: LARGE,
  };
  const FAR = 1e3;
  const ONE_SIGN = /^([-+]?[1-9]\d{0,2})([.,])(\d{3})(?![\d.,])/; // 1.024 and 1,024 are a thousand to some, and one to others
  /** Where a number can be read in another way, which is nearer, or where one without a unit is more than a thousandfold off:
   * what else may have been meant, or else the same number for a second look; "" where there is nothing to ask. */
  const meant = (text, field, right) => {
    const { value, bare } = number(text, field);
    const off = (one) => Math.max(one / right, right / one);
    const otherwise = tidy(text).replace(ONE_SIGN, (_, whole, sign, rest) => whole + (sign === "." ? "" : ".") + rest);
    if (otherwise !== tidy(text) && value * right > 0 && off(number(otherwise, field).value) < off(value)) {
      return bare && field.unit ? `${otherwise} ${field.unit}` : otherwise;
    }
    if (!bare || !(value * right > 0) || off(value) <= FAR) return "";
    const offers = (LEFT_OUT[unitOf(field.unit).kind] ?? []).map((unit) => `${tidy(text)} ${unit}`);
    const near = offers.filter((one) => off(number(one, field).value) < FAR);
    const nearest = near.sort((a, b) => off(number(a, field).value) - off(number(b, field).value))[0];
    const same = `${value.toLocaleString("en", { maximumSignificantDigits: 6 })} ${field.unit ?? ""}`.trim();
    return nearest && tidy(text).length < 6 ? nearest : same;
  };

  // -- tuples and arrays ------------------------------------------------------------------------------------------

  const isWhole = (value) => typeof value === "bigint";
  const APART = /[\d.)]\s+[-+]?[\d.(]/; // two numbers with nothing between them
  const IN_THREES = /(?<![\d.eE]|[eE][-+])0\d/; // the end of 1,000, of which a list would make 1 and 0
  const requireOneWay = (plain) => {
    if (IN_THREES.test(plain)) throw new Unread("it can be read in more than one way");
  };

  /** A tuple of integers: (3, 4), 3,4, 3 4, 3x4, 3 by 4, (3,), and () or "scalar" for the shape of a single number. */
  const shape = (text) => {
    const plain = text.trim().replaceAll("−", "-").replace(/^shape\s*[:=]?\s*/i, "");
    if (/^(?:an?\s+)?scalar$/i.test(plain)) return [];
    requireOneWay(plain);
    const value = APART.test(plain) && !plain.includes(",") ? undefined : evaluated(plain);
    if (isWhole(value)) return [Number(value)];
    if (Array.isArray(value) && value.every(isWhole)) return value.map(Number);
    const inside = plain.replace(/^[([]|[)\]]$/g, "").trim();
    const parts = inside.split(/\s*(?:,|[x×]|\bby\b)\s*|\s+/i);
    if (!parts.every((part) => /^-?(?:0|[1-9]\d*)$/.test(part))) throw new Unread("it is no tuple of whole numbers");
    return parts.map(Number);
  };

  /** The numbers of an array, however they are separated: as Python or NumPy writes it, or with semicolons. */
  const numbers = (text) => {
    const array = /^(?:j?np\.)?(?:as)?array\(([^]*?)(?:,\s*dtype=[\w.']+)?\)$/i.exec(text.trim());
    const plain = (array?.[1] ?? text).trim().replaceAll("−", "-");
    requireOneWay(plain);
    const flat = (value) => (Array.isArray(value) ? value.flatMap(flat) : [value]);
    const whole = APART.test(plain) ? undefined : evaluated(plain);
    if (whole !== undefined && !(plain.includes(";") || isOneDecimalComma(plain))) return allNumbers(flat(whole));
    if (/\d,\d/.test(plain) && APART.test(plain) && !/,\s|;/.test(plain)) throw new Unread("its commas can be read in two ways");
    const inside = plain.replaceAll(/[[\]()]/g, " ").trim();
    const parts = inside.includes(";") ? inside.split(/\s*;\s*/) : inside.split(/\s*,\s*|\s+/);
    return allNumbers(parts.filter((part) => part !== "").map((part) => (/^[-+]?[\d.(]/.test(part) ? number(part).value : undefined)));
  };
  const isOneDecimalComma = (plain) => /^[-+]?0,\d+$/.test(plain);
  const allNumbers = (values) => {
    if (!values.length || !values.every(isNumber)) throw new Unread("it is no list of numbers");
    return values.map(Number);
  };

  // -- an entry of an exercise ------------------------------------------------------------------------------------

  const WORD = /^[A-Za-z][\w .-]*$/;
  const GROUPED = /^[-+]?\d+(?:,\d+)+(?:\.\d+)?$/; // to Python a tuple; where only a number is asked for, one number

  const exact = (value) => (Number.isSafeInteger(value) ? BigInt(value) : value);
  /** What people mean where Python has no value for it, or has one that the field cannot take; else nothing. */
  const asPeople = (text, forms, field) => {
    try {
      if (forms.includes("number")) {
        return exact(number(text, field).value);
      }
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
    }
    try {
      if (forms.includes("numbers") && /^[([\d\s]/.test(text)) return shape(text).map(BigInt);
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
    }
    return undefined;
  };

  /** What an entry holds as a value of Python, or `undefined` where nothing has been written yet.
   *
   * `forms` are what the entry may be: number, numbers, text, texts, truth.
   */
  const read = (raw, forms, field = {}) => {
    const text = raw.trim();
    if (!text || text === "...") return undefined;
    const words = forms.some((form) => form.startsWith("text"));
    if (forms.join() === "text" && !/^(["']).*\1$/.test(text)) return text;
    const known = Object.hasOwn(VALUES, text) || Object.hasOwn(ODD, text.replace(LIBRARY, ""));
    if (words && WORD.test(text) && !known) return text;
    const isNumberOnly = forms.join() === "number";
    if (isNumberOnly && isRange(text)) throw new Unread("it is more than one number");
    if (isNumberOnly && GROUPED.test(text)) return exact(number(text, field).value);
    try {
      return expression(text, words);
    } catch (error) {
      const value = error instanceof Unread ? asPeople(text, forms, field) : undefined;
      if (value === undefined) throw error;
      return value;
    }
  };

  const LONGEST = 5000; // characters
  /** The same, but of a text that no field is meant for: thousands of brackets or signs would end the page's stack. */
  const bounded = (one) => (text, ...more) => {
    if (text.length > LONGEST) throw new Unread("it is too long");
    try {
      return one(text, ...more);
    } catch (error) {
      throw error instanceof RangeError ? new Unread("it is too long") : error;
    }
  };
  const readers = Object.fromEntries(Object.entries({ expression, read, number, shape, numbers }).map(([name, one]) => [name, bounded(one)]));
  return { Unread, isList, meant, unitOf, ...readers };
})();
