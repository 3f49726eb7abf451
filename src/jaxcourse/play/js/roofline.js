// The roofline: two ceilings of a machine, one kernel, and the most that it can reach.

/** A positive number in a field. */
function positive(state, field) {
  const text = state[field].trim();
  if (!/^[+]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    throw new Bad(field, text ? `"${text.slice(0, 12)}" is not a positive number: write 25.6 or 2e9.` : "A number is missing.");
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new Bad(field, "The number must be larger than 0, and finite.");
  return value;
}

/** Three significant digits, with a power of ten where the number is far from 1. */
function short(value) {
  const [digits, power] = value.toExponential(2).split("e");
  const exponent = Number(power);
  return exponent < -3 || exponent > 5 ? `${digits}e${exponent}` : String(Number(`${digits}e${exponent}`));
}

function rooflineWords({ intensity, ridge, rate, peak, seconds }) {
  const words = [`The kernel does ${short(intensity)} FLOP for each byte; the ridge of this machine is at ${short(ridge)}.`];
  if (intensity < ridge) words.push("Memory is the ceiling: it waits for bytes.");
  else if (intensity > ridge) words.push("Arithmetic is the ceiling: bytes come faster than they are used.");
  else words.push("It stands at the ridge: both ceilings bind.");
  words.push(`It reaches at most ${short(rate)} GFLOP/s, ${short((100 * rate) / peak)} % of the peak, and takes at least ${short(seconds)} s.`);
  return words.join(" ");
}

const roofline = {
  model(state) {
    const [bandwidth, peak, flop, moved] = ["bandwidth", "peak", "flop", "moved"].map((field) => positive(state, field));
    const gflops = peak * 1000;
    const intensity = flop / moved;
    const ridge = gflops / bandwidth;
    const rate = Math.min(intensity * bandwidth, gflops);
    const seconds = Math.max(flop / (gflops * 1e9), moved / (bandwidth * 1e9));
    const result = { bandwidth, peak: gflops, intensity, ridge, rate, seconds };
    return { says: rooflineWords(result), ...result };
  },

  draw(sheet, { bandwidth, peak, intensity, ridge, rate }) {
    const y = sheet.heading(0, "Attainable rate against FLOP for each byte, both in powers of ten. ◆ is the kernel; the dashes lead to its ceiling.");
    const [left, width, height] = [46, Math.min(sheet.width, 480) - 66, 190];
    const [low, high] = ends([intensity, ridge]);
    const bottom = Math.floor(Math.log10(Math.min(rate, 10 ** low * bandwidth)));
    const top = Math.ceil(Math.log10(peak) + 0.2);
    const x = (value) => left + ((Math.log10(value) - low) / (high - low)) * width;
    const up = (value) => y + 10 + height - ((Math.log10(value) - bottom) / (top - bottom)) * height;
    drawAxes(sheet, { x, up, low, high, bottom, top, left, width });
    sheet.path(`M${x(10 ** low)} ${up(10 ** low * bandwidth)}L${x(ridge)} ${up(peak)}H${left + width}`, { "stroke-width": 2.5 });
    sheet.text(left + width, up(peak) - 6, "peak", { "text-anchor": "end" });
    sheet.path(`M${x(intensity)} ${up(10 ** bottom)}V${up(rate)}H${left}`, { "stroke-dasharray": "4 4" });
    const [kx, ky] = [x(intensity), up(rate)];
    sheet.path(`M${kx - 7} ${ky}l7 -7l7 7l-7 7Z`, { fill: ORANGE, "stroke-width": 1.5 });
  },
};

/** Whole powers of ten around some values. */
function ends(values) {
  const powers = values.map(Math.log10);
  return [Math.floor(Math.min(...powers) - 0.5), Math.ceil(Math.max(...powers) + 0.5)];
}

function drawAxes(sheet, { x, up, low, high, bottom, top, left, width }) {
  const small = { "font-size": 11, class: "faint" };
  const floor = up(10 ** bottom);
  sheet.path(`M${left} ${up(10 ** top)}V${floor}H${left + width}`, { "stroke-opacity": 0.6 });
  const across = Math.ceil((high - low) / Math.floor(width / 44));
  for (let power = low; power <= high; power += across) sheet.text(x(10 ** power), floor + 15, `1e${power}`, small);
  const along = Math.ceil((top - bottom) / 7);
  for (let power = bottom; power <= top; power += along)
    sheet.text(left - 5, up(10 ** power) + 4, `1e${power}`, { ...small, "text-anchor": "end" });
  sheet.text(left + width / 2, floor + 32, "FLOP for each byte", small);
  sheet.text(left + 4, up(10 ** top) + 2, "GFLOP/s", { ...small, "text-anchor": "start" });
}
