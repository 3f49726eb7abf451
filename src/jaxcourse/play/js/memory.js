// Memory: an array, an expression of it, and the bytes that the expression uses.

const LINE = 64;
const ITEMSIZES = {
  bool: 1, int8: 1, uint8: 1, int16: 2, float16: 2, int32: 4, uint32: 4, float32: 4,
  int64: 8, float64: 8, complex64: 8, complex128: 16,
};
const LARGEST = 4096;

/** The strides of a view with another shape, or null where no strides can describe it: as NumPy tries it. */
function restrided(array, shape) {
  const kept = range(array.shape.length).filter((axis) => array.shape[axis] !== 1);
  const old = kept.map((axis) => ({ length: array.shape[axis], stride: array.strides[axis] }));
  const strides = shape.map(() => 0);
  let [from, into] = [0, 0];
  while (from < old.length && into < shape.length) {
    let [fromEnd, intoEnd] = [from + 1, into + 1];
    let [had, gets] = [old[from].length, shape[into]];
    while (had !== gets) {
      if (gets < had) gets *= shape[intoEnd++];
      else had *= old[fromEnd++].length;
    }
    for (let axis = from; axis < fromEnd - 1; axis += 1)
      if (old[axis].stride !== old[axis + 1].length * old[axis + 1].stride) return null;
    strides[intoEnd - 1] = old[fromEnd - 1].stride;
    for (let axis = intoEnd - 1; axis > into; axis -= 1) strides[axis - 1] = strides[axis] * shape[axis];
    [from, into] = [fromEnd, intoEnd];
  }
  const last = into > 0 ? strides[into - 1] : array.itemsize;
  return strides.fill(last, into);
}

/** The elements in C order, in a block of their own. */
function copied(array, shape = array.shape) {
  const block = offsetsOf(array).map((offset) => array.block[offset / array.itemsize]);
  return { ...array, shape, strides: packed(shape, array.itemsize), offset: 0, block, copy: true, scalar: false };
}

/** A shape with its one -1 replaced by what is left of the elements. */
function resolved(shape, size, fail) {
  const free = shape.filter((length) => length < 0).length;
  const rest = product(shape.filter((length) => length >= 0));
  if (free > 1) fail("reshape can find out only one length: write -1 once.");
  const fitted = shape.map((length) => (length < 0 ? size / rest : length));
  if (!fitted.every(Number.isInteger) || product(fitted) !== size)
    fail(`${counted(size, "element")} cannot have the shape ${tuple(shape)}.`);
  return fitted;
}

function reshaped(array, lengths, fail) {
  const shape = resolved(lengths, product(array.shape), fail);
  // As in NumPy, a -1 is worked out after this look, so that its strides are made anew.
  if (tuple(lengths) === tuple(array.shape)) return { ...array };
  if (contiguous(array, "C")) return { ...array, shape, strides: packed(shape, array.itemsize) };
  const strides = restrided(array, shape);
  return strides ? { ...array, shape, strides } : copied(array, shape);
}

function transposed(array, axes, fail) {
  const ndim = array.shape.length;
  const order = axes.length ? axes.map((axis) => (axis < 0 ? axis + ndim : axis)) : range(ndim).reverse();
  if (order.length !== ndim || new Set(order).size !== ndim || order.some((axis) => axis < 0 || axis >= ndim))
    fail(`transpose needs each of the ${counted(ndim, "axis", "axes")} once, got ${tuple(axes)}.`);
  const pick = (values) => order.map((axis) => values[axis]);
  return { ...array, shape: pick(array.shape), strides: pick(array.strides) };
}

/** The whole numbers in a call's brackets, which may stand in a tuple of their own. */
function argumentsIn(reader) {
  reader.need("(", "The bracket (");
  const inner = reader.takes("(") ? ")" : reader.takes("[") ? "]" : "";
  const found = numbers(reader, inner || ")");
  if (inner) {
    reader.need(inner, `The bracket ${inner}`);
    reader.takes(",");
  }
  reader.need(")", "The bracket )");
  return { found, given: inner !== "" || found.length > 0 };
}

function noArguments(reader, name) {
  if (argumentsIn(reader).given) reader.fail(`.${name}() takes no number here.`);
}

const METHODS = {
  T: (array, reader) => transposed(array, [], reader.fail.bind(reader)),
  copy(array, reader) {
    noArguments(reader, "copy");
    return copied(array);
  },
  flatten(array, reader) {
    noArguments(reader, "flatten");
    return copied(array, [product(array.shape)]);
  },
  ravel(array, reader) {
    noArguments(reader, "ravel");
    const flat = [product(array.shape)];
    return contiguous(array, "C") ? { ...array, shape: flat, strides: [array.itemsize] } : copied(array, flat);
  },
  reshape(array, reader) {
    const { found, given } = argumentsIn(reader);
    if (!given) reader.fail("reshape needs a shape, such as .reshape(2, -1).");
    return reshaped(array, found, reader.fail.bind(reader));
  },
  transpose: (array, reader) => transposed(array, argumentsIn(reader).found, reader.fail.bind(reader)),
};

function indexed(array, reader) {
  const fail = reader.fail.bind(reader);
  const items = indexIn(reader, () => fail("A list names elements one by one and gives a copy. This picture follows slices."));
  const view = viewOf(array, items, fail);
  // An element that is picked by numbers alone is no array.
  const scalar = view.shape.length === 0 && items.every((item) => item.kind === "int");
  return { ...view, scalar };
}

/** What an expression such as `x[::2].T` makes of x. */
function evaluate(text, x) {
  const reader = new Reader(text.trim(), "view");
  if (reader.match(/x(?!\w)/) === null) reader.fail("Begin with x, as in x[::2, 1:].");
  let array = x;
  while (!reader.end()) {
    if (array.scalar) reader.fail("A single number has been picked: there is nothing left to take a view of.");
    if (reader.takes("[")) array = indexed(array, reader);
    else if (reader.takes(".")) {
      const name = reader.match(/\w+/) ?? "";
      if (!Object.hasOwn(METHODS, name)) reader.fail(`.${name} is not among ${Object.keys(METHODS).join(", ")}.`);
      array = METHODS[name](array, reader);
    } else reader.fail(`"${reader.rest()}" cannot follow here: write [...] or a method such as .T.`);
  }
  return array;
}

const linesAt = (offsets) => new Set(offsets.map((offset) => Math.floor(offset / LINE)));
const cacheLines = (count) => counted(count, "cache line");

function orderWords(array) {
  const orders = ["C", "F"].filter((order) => contiguous(array, order));
  return ["It is not contiguous.", `It is contiguous in ${orders[0]} order.`, "It is contiguous in C and in F order."][
    orders.length
  ];
}

function memoryWords(text, x, array, sources) {
  const bytes = x.block.length * x.itemsize;
  const lines = cacheLines(Math.ceil(bytes / LINE));
  const words = [`x has strides ${tuple(x.strides)} and fills ${counted(bytes, "byte")} on ${lines}.`];
  // NumPy's versions differ about the strides of an array without elements, and nothing follows from them.
  if (!bytes) words[0] = "x holds no element.";
  if (array.scalar) return [...words, `${text} is a single number, a copy that shares no memory with x.`].join(" ");
  const size = product(array.shape);
  if (!size) return [...words, `${text} holds no element: shape ${tuple(array.shape)}.`].join(" ");
  const kind = array.copy ? "is a copy" : array === x ? "is x itself" : "is a view";
  words.push(`${text} ${kind}: shape ${tuple(array.shape)}, strides ${tuple(array.strides)}.`);
  const read = cacheLines(linesAt(sources).size);
  const wide = `${counted(size, "element")} of ${counted(array.itemsize, "byte")}`;
  const own = cacheLines(Math.ceil((size * array.itemsize) / LINE));
  if (array.copy) words.push(`NumPy reads ${wide} from ${read} of x and writes a block of ${own}.`);
  else words.push(`It begins at byte ${array.offset} of x. It has ${wide}, on ${read}.`);
  return [...words, orderWords(array)].join(" ");
}

const memory = {
  model({ shape: written, dtype, order, view }) {
    const shape = shapeIn(written, "shape");
    if (shape.length > 6) throw new Bad("shape", "At most 6 axes have a picture here.");
    if (product(shape) > LARGEST) throw new Bad("shape", `At most ${grouped(LARGEST)} elements have a picture here.`);
    const itemsize = ITEMSIZES[dtype];
    const x = { shape, itemsize, strides: packed(shape, itemsize, order), offset: 0, copy: false, scalar: false };
    // Which element of x, counted in C order of the indices, lies in which place.
    x.block = new Array(product(shape));
    offsetsOf(x).forEach((offset, number) => (x.block[offset / itemsize] = number));
    const array = evaluate(view, x);
    const offsets = offsetsOf(array);
    const numbers = offsets.map((offset) => array.block[offset / itemsize]);
    const place = new Map(x.block.map((number, slot) => [number, slot * itemsize]));
    const sources = numbers.map((number) => place.get(number));
    return { says: memoryWords(view.trim(), x, array, sources), x, array, offsets, numbers, sources };
  },

  draw(sheet, { x, array, numbers, sources }) {
    if (!x.block.length) return;
    const notes = new Map();
    indices(array.shape).forEach((index, i) => notes.set(sources[i], index.join(",")));
    let y = sheet.heading(0, `Memory of x, ${LINE} bytes in a row: elements that are used have the index of the result below them, the others are hatched.`);
    y = new Lines(sheet, x, x.block, notes).draw(y);
    if (!array.copy || array.scalar || !numbers.length) return;
    y = sheet.heading(y + 8, "Memory of the copy:");
    const own = new Map(indices(array.shape).map((index, i) => [i * x.itemsize, index.join(",")]));
    new Lines(sheet, x, array.block, own).draw(y);
  },
};

/** A block of memory, cache line by cache line. */
class Lines {
  constructor(sheet, { itemsize }, block, notes) {
    Object.assign(this, { sheet, itemsize, block, notes });
    this.left = 8 + 11 * ADVANCE * `line ${Math.ceil((block.length * itemsize) / LINE) - 1}`.length;
    const widest = Math.max(3, String(block.length).length, ...[...notes.values()].map((note) => note.length));
    this.bytes = LINE;
    while (this.bytes > 4 * itemsize && (widest * 11 * ADVANCE + 3) * this.bytes > (sheet.width - this.left) * itemsize)
      this.bytes /= 2;
    this.scale = (sheet.width - this.left) / this.bytes;
  }

  draw(y) {
    const used = linesAt([...this.notes.keys()]);
    const all = range(Math.ceil((this.block.length * this.itemsize) / LINE));
    let skipped = 0;
    for (const line of [...all, null]) {
      const far = line !== null && !used.has(line) && !used.has(line - 1) && !used.has(line + 1) && line !== 0;
      if (far) skipped += 1;
      else {
        if (skipped) y = this.gap(y, skipped);
        skipped = 0;
        if (line !== null) y = this.line(y, line);
      }
    }
    return y;
  }

  gap(y, count) {
    this.sheet.text(this.left, y + 12, `⋮ ${cacheLines(count)}, not touched`, { "text-anchor": "start", "font-size": 11 });
    return y + 22;
  }

  line(y, line) {
    this.sheet.text(0, y + 21, `line ${line}`, { "text-anchor": "start", "font-size": 11 });
    const end = Math.min((line + 1) * LINE, this.block.length * this.itemsize);
    for (let row = line * LINE; row < end; row += this.bytes) {
      for (let at = row; at < Math.min(row + this.bytes, end); at += this.itemsize) this.cell(y, row, at);
      y += 36;
    }
    return y + 6;
  }

  cell(y, row, at) {
    const x = this.left + (at - row) * this.scale;
    const width = this.itemsize * this.scale;
    const note = this.notes.get(at);
    const number = String(this.block[at / this.itemsize]);
    this.sheet.group(`byte ${at}: element ${number}${note === undefined ? "" : `, [${note}]`}`, () => {
      if (note === undefined) this.sheet.hatch(x, y, width, 34);
      else this.sheet.rect(x, y, width, 34, { fill: BLUE, "fill-opacity": 0.16, stroke: "none" });
      this.sheet.rect(x, y, width, 34);
      if (note === undefined) return;
      this.sheet.text(x + width / 2, y + 15, fitting([number], width - 2));
      this.sheet.text(x + width / 2, y + 29, fitting([`[${note}]`, note], width - 2, 11), { "font-size": 11, class: "faint" });
    });
  }
}
