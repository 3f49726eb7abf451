// What NumPy makes of an index: shapes, strides, offsets, views and copies, on plain lists.

/** One bound of a slice: a number, None for `None` or nothing, and whether it was written. */
function bound(reader) {
  if (reader.match(/None(?!\w)/) !== null) return { value: null, none: true };
  return { value: reader.int(), none: false };
}

function sliceOrInt(reader) {
  const first = bound(reader);
  if (!reader.takes(":")) {
    if (first.none) return { kind: "newaxis" };
    if (first.value !== null) return { kind: "int", value: first.value };
    if (reader.end()) reader.fail("The bracket ] is missing at the end.");
    reader.fail(`"${reader.rest()}" is no index: write 2, 1:5, None, ... or [0, 2].`);
  }
  const stop = bound(reader).value;
  const step = reader.takes(":") ? bound(reader).value : null;
  if (step === 0) reader.fail("A slice cannot have the step 0.");
  return { kind: "slice", start: first.value, stop, step };
}

/** The parts of an index, after its opening bracket and with its closing one; `listed` reads a list. */
function indexIn(reader, listed) {
  const items = [];
  if (reader.takes("()")) {
    reader.need("]", "The bracket ]");
    return items;
  }
  if (reader.sees("]")) reader.fail("Between the brackets [ ] an index is missing.");
  while (!reader.sees("]")) {
    if (reader.takes("...")) items.push({ kind: "ellipsis" });
    else if (reader.match(/np\.newaxis(?!\w)/) !== null) items.push({ kind: "newaxis" });
    else if (reader.sees("[") || reader.sees("True") || reader.sees("False")) items.push(listed(reader));
    else items.push(sliceOrInt(reader));
    if (!reader.sees("]")) reader.need(",", "A comma or the bracket ]");
  }
  reader.need("]", "The bracket ]");
  return items;
}

const axesTaken = (item) => ({ int: 1, slice: 1, list: 1, bool: item.shape?.length })[item.kind] ?? 0;

/** The index with its `...` spelled out: one part for each axis, and the new axes between them. */
function spelledOut(items, ndim, fail) {
  const dots = items.filter((item) => item.kind === "ellipsis").length;
  if (dots > 1) fail("An index can have only one `...`.");
  const taken = sum(items.map(axesTaken));
  if (taken > ndim) fail(`Too many indices: x has ${counted(ndim, "axis", "axes")}, and ${taken} are indexed.`);
  const whole = Array.from({ length: ndim - taken }, () => ({ kind: "slice", start: null, stop: null, step: null }));
  if (!dots) return [...items, ...whole];
  return items.flatMap((item) => (item.kind === "ellipsis" ? [{ kind: "dots" }, ...whole] : [item]));
}

/** Start, step and count of a slice on an axis of some length, by Python's rules. */
function sliceOf({ start, stop, step }, length) {
  const by = step ?? 1;
  const low = by > 0 ? 0 : -1;
  const high = by > 0 ? length : length - 1;
  const clip = (value) => Math.min(Math.max(value < 0 ? value + length : value, low), high);
  const first = start === null ? (by > 0 ? low : high) : clip(start);
  const last = stop === null ? (by > 0 ? high : low) : clip(stop);
  const count = Math.max(0, Math.ceil((last - first) / by));
  return { first, by, count };
}

function position(value, length, axis, fail) {
  if (value >= length || value < -length)
    fail(`${value} is out of bounds: axis ${axis} has ${counted(length, "element")}.`);
  return value < 0 ? value + length : value;
}

/** Strides of an array whose elements lie one after the other. */
function packed(shape, itemsize, order = "C") {
  const axes = range(shape.length);
  const strides = shape.map(() => 0);
  let step = itemsize;
  for (const axis of order === "C" ? axes.reverse() : axes) {
    strides[axis] = step;
    step *= shape[axis] || 1;
  }
  return strides;
}

/** Whether the elements lie one after the other in an order; axes of length 1 have no say. */
function contiguous({ shape, strides, itemsize }, order) {
  if (product(shape) === 0) return true;
  const want = packed(shape, itemsize, order);
  return shape.every((length, axis) => length === 1 || strides[axis] === want[axis]);
}

/** The offset of every element in bytes, in C order of the indices. */
function offsetsOf({ shape, strides, offset }) {
  return shape.reduce(
    (found, length, axis) => found.flatMap((at) => range(length).map((i) => at + i * strides[axis])),
    product(shape) ? [offset] : [],
  );
}

/** An array of ints and slices of another one: the same bytes under another rule. */
function viewOf(array, items, fail) {
  const view = { ...array, shape: [], strides: [] };
  let axis = 0;
  for (const item of spelledOut(items, array.shape.length, fail)) {
    if (item.kind === "dots") continue;
    if (item.kind === "newaxis") {
      view.shape.push(1);
      view.strides.push(0);
      continue;
    }
    const length = array.shape[axis];
    const stride = array.strides[axis];
    if (item.kind === "int") view.offset += position(item.value, length, axis, fail) * stride;
    else {
      const { first, by, count } = sliceOf(item, length);
      view.offset += first * stride;
      view.shape.push(count);
      view.strides.push(by * stride);
    }
    axis += 1;
  }
  return view;
}
