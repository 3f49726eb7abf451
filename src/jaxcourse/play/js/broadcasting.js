// Broadcasting: shapes aligned at their last axes, and the shape that they give.

const ARRAYS = ["a", "b", "c"];

/** The longest length of an axis that every other length can be stretched to, or null. */
function common(lengths) {
  const wide = lengths.filter((length) => length !== 1);
  return new Set(wide).size > 1 ? null : (wide[0] ?? 1);
}

/** The axes from the first to the last: the length that each array has there, or null where it has none. */
function aligned(shapes) {
  const ndim = Math.max(...shapes.map((shape) => shape.length));
  return range(ndim).map((axis) => {
    const lengths = shapes.map((shape) => shape[shape.length - ndim + axis] ?? null);
    const found = lengths.filter((length) => length !== null);
    return { lengths, common: common(found), from: axis - ndim };
  });
}

/** Which axes of which array are read again and again, and how often an element is used. */
function stretchWords(names, shapes, axes, result) {
  return names.map((name, i) => {
    const stretched = axes.filter(({ lengths, common }) => (lengths[i] ?? 1) === 1 && common !== 1);
    if (!stretched.length) return `${name} is used as it is.`;
    const times = product(stretched.map((axis) => axis.common));
    const where = stretched.map((axis) => axis.from).join(", ");
    const along = `axis ${where}`.replace("axis", stretched.length > 1 ? "axes" : "axis");
    if (!result.every(Boolean)) return `${name} is stretched along ${along}.`;
    return `${name} is stretched along ${along}: each element is used ${counted(times, "time")}.`;
  });
}

function broadcastWords(names, shapes, axes) {
  const written = names.map((name, i) => `${name} ${tuple(shapes[i])}`).join(", ");
  const broken = axes.filter((axis) => axis.common === null);
  if (broken.length) {
    const words = broken.map(({ lengths, from }) => {
      const given = names.map((name, i) => [name, lengths[i]]).filter(([, length]) => length !== null);
      return `axis ${from} has ${given.map(([name, length]) => `${length} in ${name}`).join(", ")}`;
    });
    return `${written} do not broadcast: ${words.join("; ")}. Lengths must be equal, or 1.`;
  }
  const result = axes.map((axis) => axis.common);
  const size = counted(product(result), "element");
  return [`${written} give ${tuple(result)}, ${size}.`, ...stretchWords(names, shapes, axes, result)].join(" ");
}

const broadcasting = {
  model(state) {
    const names = ARRAYS.filter((name) => name !== "c" || state.c.trim());
    const shapes = names.map((name) => shapeIn(state[name], name));
    names.forEach((name, i) => {
      if (shapes[i].length > 8) throw new Bad(name, "At most 8 axes have a picture here.");
      if (shapes[i].some((length) => length > 99999)) throw new Bad(name, "Lengths up to 99999 have a picture here.");
    });
    const axes = aligned(shapes);
    const fails = axes.some((axis) => axis.common === null);
    const result = fails ? null : axes.map((axis) => axis.common);
    return { says: broadcastWords(names, shapes, axes), names, shapes, axes, result };
  },

  draw(sheet, { names, axes, result }) {
    const left = 62;
    const cell = Math.min(72, (sheet.width - left) / Math.max(1, axes.length));
    let y = sheet.heading(0, "Shapes aligned at their last axes. Dotted: no axis, or length 1, stretched to the length below.");
    axes.forEach((axis, i) => sheet.text(left + (i + 0.5) * cell, y + 12, String(axis.from), { "font-size": 11, class: "faint" }));
    sheet.text(0, y + 12, "axis", { "text-anchor": "start", "font-size": 11, class: "faint" });
    y += 18;
    names.forEach((name, i) => {
      sheet.text(0, y + 22, name, { "text-anchor": "start" });
      axes.forEach((axis, at) => lengthBox(sheet, left + at * cell, y, cell, axis.lengths[i], axis.common));
      y += 40;
    });
    sheet.path(`M0 ${y}H${left + axes.length * cell}`, { "stroke-width": 2 });
    sheet.text(0, y + 28, "result", { "text-anchor": "start" });
    axes.forEach((axis, at) => resultBox(sheet, left + at * cell, y + 6, cell, axis.common));
    y += 46;
    sheet.text(left, y + 12, result ? tuple(result) : "no result: ✗ marks where", { "text-anchor": "start" });
    if (result) drawGrids(sheet, y + 26, names, axes, result);
  },
};

function lengthBox(sheet, x, y, cell, length, want) {
  const stretched = (length ?? 1) === 1 && want !== 1 && want !== null;
  const dots = stretched || length === null ? { "stroke-dasharray": VIRTUAL } : {};
  sheet.rect(x + 2, y + 2, cell - 4, 32, dots);
  const words = length === null ? "–" : stretched ? fitting([`1 → ${want}`, "1 →"], cell - 6) || "1" : String(length);
  sheet.text(x + cell / 2, y + 22, words);
}

function resultBox(sheet, x, y, cell, length) {
  const wrong = length === null;
  sheet.rect(x + 2, y + 2, cell - 4, 32, wrong ? { "stroke-width": 3, stroke: ORANGE } : { fill: BLUE, "fill-opacity": 0.16 });
  sheet.text(x + cell / 2, y + 22, wrong ? "✗" : String(length));
}

/** Small operands as grids of the result's size: solid elements are stored, dotted ones are the same again. */
function drawGrids(sheet, y, names, axes, result) {
  const [rows, columns] = [result.at(-2) ?? 1, result.at(-1) ?? 1];
  if (result.length > 2 || rows > 8 || columns > 8 || rows * columns === 0) return;
  const cell = Math.min(22, (sheet.width - 8) / (columns * names.length + names.length));
  names.forEach((name, i) => {
    const x = i * (columns * cell + cell);
    sheet.text(x, y + 12, name, { "text-anchor": "start" });
    const along = (axis) => (axes.at(axis) ? (axes.at(axis).lengths[i] ?? 1) : 1);
    for (let r = 0; r < rows; r += 1)
      for (let c = 0; c < columns; c += 1) {
        const again = (r > 0 && along(-2) === 1) || (c > 0 && along(-1) === 1);
        const look = again ? { "stroke-dasharray": VIRTUAL, "stroke-opacity": 0.8 } : { fill: BLUE, "fill-opacity": 0.16 };
        sheet.rect(x + c * cell + 1, y + 18 + r * cell, cell - 3, cell - 3, look);
      }
  });
}
