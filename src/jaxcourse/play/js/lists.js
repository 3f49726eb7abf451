// Lists as indices: whole numbers, or True and False.

/** The shape that a nested list has, or a refusal if its lists differ in length. */
function nestedShape(item, reader) {
  if (!Array.isArray(item)) return [];
  const shapes = item.map((part) => nestedShape(part, reader));
  if (shapes.some((shape) => tuple(shape) !== tuple(shapes[0])))
    reader.fail("The lists inside a list must have equal lengths.");
  return [item.length, ...(shapes[0] ?? [])];
}

function nestedList(reader) {
  if (!reader.takes("[")) {
    const truth = reader.match(/(True|False)(?!\w)/);
    const value = truth === null ? reader.int() : truth === "True";
    if (value === null)
      reader.fail(
        reader.end() ? "The bracket ] is missing at the end." : `"${reader.rest()}" is no whole number, True or False.`,
      );
    return value;
  }
  const items = [];
  while (!reader.sees("]")) {
    items.push(nestedList(reader));
    if (!reader.sees("]")) reader.need(",", "A comma or the bracket ]");
  }
  reader.need("]", "The bracket ]");
  return items;
}

/** An index that names positions one by one: a list of whole numbers or of True and False, or a bare truth. */
function listed(reader) {
  const items = nestedList(reader);
  const shape = nestedShape(items, reader);
  const flat = [items].flat(Infinity);
  // As in NumPy, a truth among numbers is the number 0 or 1.
  if (flat.length && flat.every((item) => typeof item === "boolean")) return { kind: "bool", shape, flat };
  return { kind: "list", shape, flat: flat.map(Number) };
}
