// Sharding: a mesh, a partition spec, and which device holds which piece of an array.

const DEVICES = 64;
/** Tints of pieces, as `draw.shards` has them; every other one is hatched, for those who see no hues. */
const TINTS = [BLUE, ORANGE, "#1f9e94", "#b0589a", "#8a7a00", "#5b6ee1", "#c0392b", "#4f8a8b"];

/** The axes of a mesh in a text such as `x=4, y=2`: names and sizes in order. */
function meshIn(text) {
  const reader = new Reader(text.trim(), "mesh");
  const axes = [];
  while (!reader.end()) {
    const name = reader.match(/[A-Za-z_]\w*/);
    if (name === null) reader.fail(`"${reader.rest()}" is no name: write axes such as x=4, y=2.`);
    if (!reader.takes("=")) reader.need(":", "The sign = with a size");
    const size = reader.int();
    if (size === null || size < 1) reader.fail(`The size of ${name} must be a whole number from 1 on.`);
    if (axes.some((axis) => axis.name === name)) reader.fail(`Two axes are named ${name}.`);
    axes.push({ name, size });
    if (!reader.end()) reader.need(",", "A comma");
  }
  if (!axes.length) reader.fail("A mesh needs at least one axis, such as x=4.");
  if (product(axes.map((axis) => axis.size)) > DEVICES) reader.fail(`At most ${DEVICES} devices have a picture here.`);
  return axes;
}

/** A name of a mesh axis in quotes, which must exist and be new. */
function nameIn(reader, mesh, used) {
  const words = reader.match(/'\w*'|"\w*"/);
  if (words === null)
    reader.fail(reader.end() ? "The bracket ) is missing at the end." : `"${reader.rest()}" is no entry: write 'x', None or ('x', 'y').`);
  const name = words.slice(1, -1);
  if (!mesh.some((axis) => axis.name === name)) reader.fail(`The mesh has no axis ${name}.`);
  if (used.has(name)) reader.fail(`${name} stands twice: an axis of the mesh can cut only one axis.`);
  used.add(name);
  return name;
}

/** For each axis of the array the names that cut it, in a text such as `P('x', None)`. */
function specIn(text, mesh) {
  const reader = new Reader(text.trim(), "spec");
  if (reader.match(/P(?!\w)/) === null) reader.fail("Begin with P, as in P('x', None).");
  reader.need("(", "The bracket (");
  const used = new Set();
  const entries = [];
  while (!reader.sees(")")) {
    if (reader.match(/None(?!\w)/) !== null) entries.push([]);
    else if (reader.takes("(")) {
      const names = [];
      while (!reader.sees(")")) {
        names.push(nameIn(reader, mesh, used));
        // One name in brackets is that name: it needs its comma only in Python, where ('x') is 'x'.
        if (!reader.sees(")")) reader.need(",", "A comma or the bracket )");
      }
      reader.need(")", "The bracket )");
      entries.push(names);
    } else entries.push([nameIn(reader, mesh, used)]);
    if (!reader.sees(")")) reader.need(",", "A comma or the bracket )");
  }
  reader.need(")", "The bracket )");
  if (!reader.end()) reader.fail(`"${reader.rest()}" follows the spec.`);
  return entries;
}

/** Where a device stands on each axis of the mesh: the last axis is the fastest. */
function standing(device, mesh) {
  const at = {};
  for (const { name, size } of [...mesh].reverse()) {
    at[name] = device % size;
    device = Math.floor(device / size);
  }
  return at;
}

/** How many pieces an axis is cut into, and which of them a device holds. */
function piece(names, at, sizes) {
  return names.reduce((number, name) => number * sizes[name] + at[name], 0);
}

const span = ([start, stop], length) => (stop - start === length ? ":" : `${start}:${stop}`);

function shardingWords(spec, shape, mesh, cuts, local, holders) {
  const devices = product(mesh.map((axis) => axis.size));
  const pieces = product(cuts.map((cut) => cut.count));
  const copies = devices / pieces;
  const words = [
    `${spec} cuts an array of shape ${tuple(shape)} into ${counted(pieces, "piece")} of shape ${tuple(local)}, on ${counted(devices, "device")}.`,
  ];
  cuts.forEach(({ names, count }, axis) => {
    if (names.length) words.push(`Axis ${axis} is cut into ${count} by ${names.join(", then ")}.`);
  });
  const unnamed = mesh.filter(({ name }) => !cuts.some((cut) => cut.names.includes(name))).map(({ name }) => name);
  if (unnamed.length) words.push(`The spec does not name ${unnamed.join(", ")}: ${copies === 1 ? "no copy is made" : `each piece lies on ${copies} devices`}.`);
  else words.push("Each piece lies on 1 device.");
  for (const [index, found] of [...holders].slice(0, 16))
    words.push(`${found.length === 1 ? "Device" : "Devices"} ${found.join(", ")}: [${index}].`);
  return words.join(" ");
}

const sharding = {
  model({ shape: written, mesh: axes, spec: text }) {
    const shape = shapeIn(written, "shape");
    if (shape.length > 4) throw new Bad("shape", "At most 4 axes have a picture here.");
    const mesh = meshIn(axes);
    const spec = specIn(text, mesh);
    if (spec.length > shape.length)
      throw new Bad("spec", `The spec has ${counted(spec.length, "entry", "entries")}, the array ${counted(shape.length, "axis", "axes")}.`);
    const sizes = Object.fromEntries(mesh.map(({ name, size }) => [name, size]));
    const cuts = shape.map((length, axis) => {
      const names = spec[axis] ?? [];
      const count = product(names.map((name) => sizes[name]));
      if (length % count) throw new Bad("spec", `Axis ${axis} has ${length} elements, which ${count} does not divide.`);
      return { names, count };
    });
    const local = shape.map((length, axis) => length / cuts[axis].count);
    const held = range(product(Object.values(sizes))).map((device) => {
      const at = standing(device, mesh);
      return cuts.map(({ names }, axis) => {
        const start = piece(names, at, sizes) * local[axis];
        return [start, start + local[axis]];
      });
    });
    const holders = new Map();
    held.forEach((spans, device) => {
      const index = spans.map((one, axis) => span(one, shape[axis])).join(", ");
      holders.set(index, [...(holders.get(index) ?? []), device]);
    });
    return { says: shardingWords(text.trim(), shape, mesh, cuts, local, holders), shape, mesh, cuts, local, held, holders };
  },

  draw(sheet, { shape, mesh, cuts, local, held }) {
    const grid = mesh.length === 2 ? `, ${mesh[0].size} rows of ${mesh[1].size}` : "";
    const y = sheet.heading(0, `The mesh numbers its devices from 0, the last axis fastest${grid}. Each piece has the numbers of its devices.`);
    if (shape.length > 2 || !product(shape)) {
      sheet.heading(y, "An array without elements, or with more than 2 axes, is not drawn: the text above says who holds what.");
      return;
    }
    const [rows, columns] = shape.length === 2 ? cuts.map((cut) => cut.count) : [1, cuts[0]?.count ?? 1];
    const left = 34;
    const width = (Math.min(sheet.width, 460) - left) / columns;
    const height = Math.min(64, Math.max(30, 220 / rows));
    const places = range(rows * columns).map(() => []);
    held.forEach((spans, device) => places[place(spans, local, columns)].push(device));
    places.forEach((devices, i) => {
      const [x, top] = [left + (i % columns) * width, y + 18 + Math.floor(i / columns) * height];
      const names = [devices.join(" "), `${devices[0]} …`, String(devices[0])];
      sheet.group(`devices ${devices.join(", ")}`, () => {
        const tint = TINTS[i % TINTS.length];
        sheet.rect(x, top, width, height, { fill: tint, "fill-opacity": 0.25 });
        if (i % 2) sheet.hatch(x, top, width, height, { stroke: tint, "stroke-opacity": 0.35 });
        sheet.text(x + width / 2, top + height / 2 + 4, fitting(names, width - 4));
      });
    });
    axisMarks(sheet, y, { rows, columns, left, width, height, shape, local });
  },
};

/** Which of the drawn pieces some spans are. */
function place(spans, local, columns) {
  const numbers = spans.map(([start], axis) => start / local[axis]);
  return numbers.length === 2 ? numbers[0] * columns + numbers[1] : (numbers[0] ?? 0);
}

/** Where each row and column of pieces begins. */
function axisMarks(sheet, y, { rows, columns, left, width, height, shape, local }) {
  const small = { "font-size": 11, class: "faint" };
  for (let column = 0; column < columns && shape.length; column += 1) {
    const words = String(column * local.at(-1));
    if (fits(words, width, 11)) sheet.text(left + column * width, y + 13, words, { ...small, "text-anchor": "start" });
  }
  for (let row = 0; row < rows && shape.length === 2; row += 1)
    sheet.text(left - 5, y + 30 + row * height, String(row * local[0]), { ...small, "text-anchor": "end" });
}
