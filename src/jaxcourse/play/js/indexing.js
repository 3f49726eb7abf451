// Indexing: which elements an index takes, in which order, as a view or as a copy.

const LARGEST = 4096;

/** A mask as one list of positions for each of its axes, those where it is true. */
function positionsOf({ shape, flat }) {
  const taken = indices(shape).filter((_, i) => flat[i]);
  return shape.map((_, axis) => ({ shape: [taken.length], values: taken.map((index) => index[axis]) }));
}

/** What selects along each axis, in the order of the parts: whole slices, and lists that belong together. */
function selectors(array, items, fail) {
  const found = [];
  let axis = 0;
  const list = (shape, values) => found.push({ kind: "list", axis: axis++, shape, values });
  for (const item of spelledOut(items, array.shape.length, fail)) {
    if (item.kind === "newaxis" || item.kind === "dots") found.push(item);
    else if (item.kind === "slice") found.push({ ...item, ...sliceOf(item, array.shape[axis]), axis: axis++ });
    else if (item.kind === "int") list([], [position(item.value, array.shape[axis], axis, fail)]);
    else if (item.kind === "list") list(item.shape, item.flat);
    else {
      const fits = item.shape.every((length, i) => length === array.shape[axis + i]);
      if (!fits) fail(`A mask of shape ${tuple(item.shape)} does not fit the axes from ${axis} on of x ${tuple(array.shape)}.`);
      // A bare True or False has no axis, and keeps or empties the axis that the lists give.
      if (!item.shape.length) found.push({ kind: "list", axis: null, shape: [item.flat[0] ? 1 : 0], values: [] });
      positionsOf(item).forEach(({ shape, values }) => list(shape, values));
    }
  }
  return found;
}

/** The shape that lists give together. */
function together(shapes, fail) {
  const ndim = Math.max(...shapes.map((shape) => shape.length));
  return range(ndim).map((axis) => {
    const lengths = shapes.map((shape) => shape[shape.length - ndim + axis] ?? 1).filter((length) => length !== 1);
    if (new Set(lengths).size > 1) fail(`The lists have the shapes ${shapes.map(tuple).join(" and ")}, which do not broadcast.`);
    return lengths[0] ?? 1;
  });
}

/** The position in the flat values of a smaller shape that a longer index leads to. */
function broadcastAt(shape, index) {
  return shape.reduce((at, length, axis) => {
    const own = length === 1 ? 0 : index[index.length - shape.length + axis];
    return at * length + own;
  }, 0);
}

/** The elements that lists take, and the shape of the result. */
function taken(array, items, fail) {
  const parts = selectors(array, items, fail);
  const lists = parts.filter((part) => part.kind === "list");
  const joint = together(lists.map((part) => part.shape), fail);
  const places = parts.map((part, i) => (part.kind === "list" ? i : -1)).filter((i) => i >= 0);
  const apart = places.at(-1) - places[0] + 1 > places.length;
  // As in NumPy, what stands in a list and is never looked up is never out of bounds.
  if (product(joint))
    for (const part of lists)
      if (part.axis !== null)
        part.values = part.values.map((value) => position(value, array.shape[part.axis], part.axis, fail));
  const others = parts.map((part, i) => ({ ...part, before: i < places[0] })).filter((part) => !["list", "dots"].includes(part.kind));
  const lengthOf = (part) => (part.kind === "newaxis" ? 1 : part.count);
  const first = apart ? [] : others.filter((part) => part.before);
  const last = apart ? others : others.filter((part) => !part.before);
  const shape = [...first.map(lengthOf), ...joint, ...last.map(lengthOf)];
  if (product(shape) > LARGEST) fail(`The result would have more than ${grouped(LARGEST)} elements, too many for a picture.`);
  const axes = [...first, ...joint.map(() => null), ...last];
  const numbers = indices(shape).map((index) => {
    const at = array.shape.map(() => 0);
    const ours = index.slice(first.length, first.length + joint.length);
    for (const part of lists) if (part.axis !== null) at[part.axis] = part.values[broadcastAt(part.shape, ours)];
    axes.forEach((part, i) => {
      if (part?.kind === "slice") at[part.axis] = part.first + index[i] * part.by;
    });
    return at.reduce((number, i, axis) => number * array.shape[axis] + i, 0);
  });
  return { shape, numbers, apart, joint };
}

function indexingWords(text, x, { kind, shape, numbers, apart, joint }) {
  if (kind === "number") return `${text} is a single number, element ${numbers[0]} of x. It shares no memory with x.`;
  const from = `${text} takes ${counted(numbers.length, "element")} of the ${grouped(product(x))} of x`;
  const words = [`${from}: shape ${tuple(shape)}.`];
  if (kind === "view") words.push("Numbers, slices, None and ... alone: a view.");
  else {
    words.push(`Lists name elements one by one: a copy. Together they give the shape ${tuple(joint)}.`);
    if (apart) words.push("Something stands between them, so that shape comes first.");
  }
  const twice = numbers.length - new Set(numbers).size;
  if (twice) words.push(`${counted(twice, "element")} of the result ${twice === 1 ? "repeats" : "repeat"} another.`);
  if (numbers.length) words.push(`In order: ${numbers.slice(0, 12).join(", ")}${numbers.length > 12 ? ", …" : ""}.`);
  return words.join(" ");
}

const indexing = {
  model({ shape: written, index: text }) {
    const shape = shapeIn(written, "shape");
    if (shape.length > 6) throw new Bad("shape", "At most 6 axes have a picture here.");
    if (product(shape) > LARGEST) throw new Bad("shape", `At most ${grouped(LARGEST)} elements have a picture here.`);
    const reader = new Reader(text.trim(), "index");
    const fail = reader.fail.bind(reader);
    if (reader.match(/x(?!\w)/) === null) fail("Begin with x, as in x[[0, 2], 1:].");
    reader.need("[", "The bracket [");
    const items = indexIn(reader, listed);
    if (!reader.end()) fail(`"${reader.rest()}" follows the index: this picture takes one index.`);
    const array = { shape, strides: packed(shape, 1), itemsize: 1, offset: 0 };
    const found = items.some((item) => item.flat)
      ? { kind: "copy", ...taken(array, items, fail) }
      : viewed(viewOf(array, items, fail), items);
    return { says: indexingWords(text.trim(), shape, found), x: shape, ...found };
  },

  draw(sheet, { x, shape, numbers, kind }) {
    const times = new Map();
    for (const number of numbers) times.set(number, (times.get(number) ?? 0) + 1);
    if (x.length > 3) {
      sheet.heading(0, "Arrays of more than 3 axes are not drawn: the text above says what is taken.");
      return;
    }
    let y = sheet.heading(0, "x: its elements are counted from 0. What is taken is framed, with ×2 where it is taken twice.");
    y = drawGrid(sheet, y, x, range(product(x)), times);
    if (kind === "number" || !numbers.length) return;
    if (shape.length > 3) {
      sheet.heading(y + 6, `The result has ${shape.length} axes and is not drawn.`);
      return;
    }
    y = sheet.heading(y + 6, `The ${kind}, of shape ${tuple(shape)}:`);
    drawGrid(sheet, y, shape, numbers, null);
  },
};

function viewed(view, items) {
  // An element that is picked by numbers alone is no array.
  const single = view.shape.length === 0 && items.every((item) => item.kind === "int");
  return { kind: single ? "number" : "view", shape: view.shape, numbers: offsetsOf(view) };
}

/** An array as tables, one for each position on the first of three axes; cut off where it is too long. */
function drawGrid(sheet, y, shape, numbers, times) {
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const tables = shape.length === 3 ? shape[0] : 1;
  const width = Math.max(26, Math.min(40, sheet.width / Math.max(1, columns)));
  const shown = Math.min(columns, Math.floor(sheet.width / width));
  const across = Math.max(1, Math.floor((sheet.width + 14) / (shown * width + 14)));
  for (let table = 0; table < Math.min(tables, 12); table += 1) {
    const left = (table % across) * (shown * width + 14);
    if (table && table % across === 0) y += Math.min(rows, 12) * 30 + 10;
    for (let row = 0; row < Math.min(rows, 12); row += 1)
      for (let column = 0; column < shown; column += 1)
        drawElement(sheet, left + column * width, y + row * 30, width, numbers[(table * rows + row) * columns + column], times);
  }
  y += Math.min(rows, 12) * 30 + 6;
  const cut = tables > 12 || rows > 12 || shown < columns;
  return cut ? sheet.heading(y, "The rest is not drawn.") : y;
}

function drawElement(sheet, x, y, width, number, times) {
  const taken = times ? (times.get(number) ?? 0) : 1;
  sheet.rect(x + 1, y, width - 3, 27, taken ? { "stroke-width": times ? 2 : 1, fill: BLUE, "fill-opacity": 0.16 } : { "stroke-opacity": 0.4 });
  sheet.text(x + width / 2, y + (taken > 1 ? 13 : 18), String(number), taken ? {} : { "fill-opacity": 0.7 });
  if (taken > 1) sheet.text(x + width / 2, y + 24, `×${taken}`, { "font-size": 10 });
}
