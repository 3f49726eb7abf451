// Pieces: one small array as bytes in memory, as a grid of elements, and as shards on devices.

const ROOM = 48;
const ITEM = 4;

/** The index of the element that is followed, counted from the front. */
function elementIn(text, shape) {
  const reader = new Reader(text.trim(), "element");
  if (!reader.text) reader.fail("An index is missing: write a number for each axis, with commas.");
  const close = reader.takes("(") ? ")" : reader.takes("[") ? "]" : "";
  const index = numbers(reader, close);
  if (close) reader.need(close, `The bracket ${close}`);
  if (!reader.end()) reader.fail(`"${reader.rest()}" follows the index.`);
  if (index.length !== shape.length) reader.fail(`Write ${counted(shape.length, "number")}, one for each axis.`);
  return index.map((i, axis) => {
    if (i < -shape[axis] || i >= shape[axis]) reader.fail(`Axis ${axis} has ${counted(shape[axis], "element")}: there is no index ${i}.`);
    return i < 0 ? i + shape[axis] : i;
  });
}

const dot = (index, strides) => sum(index.map((i, axis) => i * strides[axis]));

/** How many stretches of memory the elements at some bytes make. */
function stretches(bytes) {
  const sorted = [...bytes].sort((a, b) => a - b);
  return sorted.filter((byte, i) => i === 0 || byte - sorted[i - 1] !== ITEM).length;
}

const pieces = {
  model({ shape: written, order, devices: count, axis: along, element }) {
    const shape = shapeIn(written, "shape");
    const [devices, axis, size] = [Number(count), Number(along), product(shape)];
    if (shape.length < 1 || shape.length > 2) throw new Bad("shape", "Write one or two lengths: this picture has no room for other arrays.");
    if (size < 1 || size > ROOM) throw new Bad("shape", `This picture has room for 1 to ${ROOM} elements, not for ${size}.`);
    if (axis >= shape.length) throw new Bad("axis", "An array with one axis has no axis 1 to cut.");
    if (shape[axis] % devices) throw new Bad("devices", `Axis ${axis} has ${counted(shape[axis], "element")}, which ${devices} does not divide.`);
    const index = elementIn(element, shape);
    const after = (k) => product(shape.slice(k + 1));
    const before = (k) => product(shape.slice(0, k));
    const strides = shape.map((_, k) => ITEM * (order === "F" ? before(k) : after(k)));
    const each = shape[axis] / devices;
    const elements = indices(shape).map((at, value) => ({ at, value, byte: dot(at, strides), device: Math.floor(at[axis] / each) }));
    const local = shape.map((length, k) => (k === axis ? each : length));
    const from = stretches(elements.filter(({ device }) => device === 0).map(({ byte }) => byte));
    const followed = elements.find(({ at }) => at.every((i, k) => i === index[k]));
    const steps = strides.map((stride, k) => `a step along axis ${k} skips ${stride}${k ? "" : " bytes"}`).join(", ");
    const says =
      `${counted(size, "float32 number")} of 4 bytes, in ${order} order: the strides are ${tuple(strides)}. ` +
      `${steps[0].toUpperCase()}${steps.slice(1)}. Cut along axis ${axis}, ${devices === 1 ? "the 1 device" : `each of ${devices} devices`} holds a shard of shape ` +
      `${tuple(local)}, ${product(local) * ITEM} bytes, from ${counted(from, "place")} in memory. ` +
      `Element [${index.join(", ")}] begins at byte ${followed.byte} and goes to device ${followed.device}.`;
    return { says, shape, strides, elements, followed, axis, devices, each, bytes: elements.map(({ byte }) => byte), holders: elements.map(({ device }) => device) };
  },

  draw(sheet, found) {
    const { shape, axis, devices } = found;
    const [rows, columns] = shape.length === 2 ? shape : [1, shape[0]];
    const y = drawMemory(sheet, found) + 10;
    const gap = 10;
    const label = 62;
    const cut = shape.length === 2 ? axis : 1;
    const [wide, high] = [cut === 1 ? (devices - 1) * gap : 0, cut === 0 ? (devices - 1) * gap : 0];
    const beside = sheet.width >= 2 * columns * 20 + label + wide + 30;
    const room = beside ? (sheet.width - label - wide - 30) / 2 : sheet.width - label - wide;
    const cell = Math.max(14, Math.min(34, room / columns));
    const left = beside ? columns * cell + 30 : 0;
    const top = sheet.heading(y, "As a grid") + 2;
    drawGrid(sheet, found, { left: 0, top, cell });
    const below = beside ? top : sheet.heading(top + rows * cell + 8, "As shards") + 2;
    if (beside) sheet.text(left, y + 12, "As shards", { "text-anchor": "start", class: "prose" });
    const shift = cut === 1 ? 16 : 0;
    drawGrid(sheet, found, { left: left + (cut === 0 ? label : 0), top: below + shift, cell, gap, cut });
    drawDevices(sheet, found, { left, below, cell, gap, cut });
    sheet.bottom = Math.max(sheet.bottom, below + shift + rows * cell + high);
  },
};

/** One element: its value in a box. A click follows it. */
function drawElement(sheet, { at, value, byte, device }, { followed }, x, y, width, height) {
  const marked = followed.value === value;
  sheet.group(`element [${at.join(", ")}], bytes ${byte} to ${byte + ITEM - 1}, device ${device}`, () => {
    sheet.rect(x, y, width, height, { fill: marked ? ORANGE : BLUE, "fill-opacity": marked ? 0.55 : device % 2 ? 0.3 : 0.1, "stroke-width": marked ? 2.5 : 1 });
    const words = String(value);
    if (fits(words, width - 1)) sheet.text(x + width / 2, y + height / 2 + 4, words, marked ? { "font-weight": 700 } : {});
    sheet.into.style.cursor = "pointer";
    sheet.into.addEventListener("click", (event) => {
      const field = event.target.closest("form").elements.element;
      field.value = at.join(", ");
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  });
}

/** Memory from left to right, line after line; returns its bottom. */
function drawMemory(sheet, found) {
  const left = 34;
  const elements = [...found.elements].sort((a, b) => a.byte - b.byte);
  const most = Math.floor((sheet.width - left) / 26);
  const lines = Math.ceil(elements.length / most);
  const each = Math.ceil(elements.length / lines);
  const width = Math.min(34, (sheet.width - left) / each);
  const arcs = found.strides.some((stride, k) => reach(found, k) && sameLine(found, stride, each));
  const y = sheet.heading(0, "In memory, with the byte where each line begins") + (arcs ? 26 : 4);
  elements.forEach((element, i) => {
    const [line, place] = [Math.floor(i / each), i % each];
    const top = y + line * 34;
    if (!place) sheet.text(left - 6, top + 17, String(element.byte), { "font-size": 11, "text-anchor": "end", class: "faint" });
    drawElement(sheet, element, found, left + place * width, top, width, 26);
  });
  found.strides.forEach((stride, k) => {
    if (reach(found, k) && sameLine(found, stride, each)) drawArc(sheet, found, stride, { left, y, width, k });
  });
  return y + lines * 34;
}

/** Whether the followed element has a neighbour further along an axis. */
const reach = ({ followed, shape }, k) => followed.at[k] + 1 < shape[k];

/** Whether a step from the followed element stays in the first line, above which arcs have room. */
const sameLine = ({ followed }, stride, each) => (followed.byte + stride) / ITEM < each;

/** A step along an axis, from the followed element to its neighbour. */
function drawArc(sheet, { followed }, stride, { left, y, width, k }) {
  const [from, to] = [followed.byte, followed.byte + stride].map((byte) => left + (byte / ITEM + 0.5) * width);
  const height = stride === ITEM ? 8 : 20;
  sheet.path(`M${from} ${y - 2}C${from} ${y - height} ${to} ${y - height} ${to} ${y - 2}`, { stroke: ORANGE, "stroke-width": 2 });
  const words = `axis ${k}: ${stride}`;
  if (stride !== ITEM && fits(words, to - from, 11)) sheet.text((from + to) / 2, y - 18, words, { "font-size": 11 });
}

/** The elements where their index says; the shards stand apart where there is a cut. */
function drawGrid(sheet, found, { left, top, cell, gap = 0, cut }) {
  for (const element of found.elements) {
    const [row, column] = element.at.length === 2 ? element.at : [0, element.at[0]];
    const [x, y] = [cut === 1 ? element.device * gap : 0, cut === 0 ? element.device * gap : 0];
    drawElement(sheet, element, found, left + column * cell + x, top + row * cell + y, cell, cell);
  }
}

/** The number of each device, at its shard. */
function drawDevices(sheet, { devices, each }, { left, below, cell, gap, cut }) {
  for (const device of range(devices)) {
    const at = device * (each * cell + gap);
    const spellings = [`device ${device}`, `dev ${device}`, String(device)];
    const look = { "font-size": 11 };
    if (cut === 0) sheet.text(left + 56, below + at + (each * cell) / 2 + 4, spellings[0], { ...look, "text-anchor": "end" });
    else sheet.text(left + at + (each * cell) / 2, below + 10, fitting(spellings, each * cell, 11), look);
  }
}
