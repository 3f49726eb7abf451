// The record of what a reader has done, as data: what it is made of, how an older one is adopted, how two are joined.
// It touches neither the page nor the storage. A record of version 3:
//   exercises    a name -> { solved, tries, tried, at, again }: `tries` went wrong since it was last right, `tried` is what
//                was typed, by field
//   predictions  the label of a section and a digest of the question -> { said, at, again, known, first }, or { shown, at,
//                again, known }: `known` once the output was seen; `first` is what became of what was said before that,
//                { at, of }, and `of` is a list with { right, off, slips } for each field that was judged. `off` is a number
//                that was said, divided by what the run says; `slips` are the mistakes by which the lesson knows them
//   read         a lesson's topic -> true, when its end has been seen
//   place        a lesson's topic -> { id, at }, the last heading seen, or exercise seen or solved
//   seen         the label of a section -> when its end was seen
//   known        the label of a section -> { holds, at }: whether the reader knows it without having read it here; no
//                exercise in it is solved by that, and it is not read. Version 2 had no such part
//   path         "chosen" -> { name, at }, the path that was chosen; its name is "" for none
//   settings     "evidence" -> { on, at }, whether evidence is shown; "device" -> { on, name, at }, whose measurements are:
//                the name of a record, and "" for those of the build
// `at` is a time in milliseconds. `again` is when to repeat it: { step, due, words }, or { done }, the time since when it
// need not be. What another edition keeps besides is carried along.
window.courseRecord = (() => {
  "use strict";
  const VERSION = 3;
  const DAY = 86400e3;
  const DAYS = [1, 3, 7, 21]; // after how many days something comes back, step by step

  // -- what it is made of -----------------------------------------------------------------------------------------

  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isText = (value) => typeof value === "string";
  const isTruth = (value) => typeof value === "boolean";
  const isTime = (value) => Number.isFinite(value);
  const isCount = (value) => Number.isInteger(value) && value >= 0;
  const isStep = (value) => Object.hasOwn(DAYS, value) && isCount(value);
  const isSaid = (value) => isText(value) || (Array.isArray(value) && value.every(isText));
  const isList = (each) => (value) => Array.isArray(value) && value.every(each);
  const tableOf = (each) => (value) => isTable(value) && Object.values(value).every(each);
  /** A table whose known fields are as they must be; those in `needed` are there. */
  const fields = (known, ...needed) => (value) =>
    isTable(value) &&
    needed.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, one]) => !Object.hasOwn(known, name) || known[name](one));
  const isPlanned = fields({ step: isStep, due: isTime, words: isText }, "step", "due");
  const isOff = (value) => isTime(value) && value > 0;
  const isJudged = fields({ right: isTruth, off: isOff, slips: isList(isText) }, "right");
  const isFirst = fields({ at: isTime, of: isList(isJudged) }, "of");
  const isPlan = (value) => isPlanned(value) || fields({ done: isTime }, "done")(value);

  const FITS = {
    exercises: fields({ solved: isTruth, tries: isCount, tried: tableOf(isText), at: isTime, again: isPlan }),
    predictions: fields({ said: isList(isSaid), shown: isTruth, at: isTime, again: isPlan, known: isTruth, first: isFirst }),
    read: isTruth,
    place: fields({ id: isText, at: isTime }, "id", "at"),
    seen: isTime,
    known: fields({ holds: isTruth, at: isTime }, "holds", "at"),
    path: fields({ name: isText, at: isTime }, "name", "at"),
    settings: fields({ on: isTruth, name: isText, at: isTime }, "on", "at"),
  };
  const PARTS = Object.keys(FITS);

  const mapped = (table, each) => Object.fromEntries(Object.entries(table).map(each));
  const chosen = (table, keep) => Object.fromEntries(Object.entries(table).filter(keep));
  const entry = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);

  /** The first entry that is not as it must be, such as "place › indexing", or "". */
  const damage = (record) => {
    for (const part of PARTS) {
      const table = entry(record, part);
      if (table === undefined) continue;
      if (!isTable(table)) return part;
      const odd = Object.keys(table).find((key) => !FITS[part](table[key]));
      if (odd !== undefined) return `${part} › ${odd}`;
    }
    return "";
  };
  /** A record with a table for each part, and with what another edition keeps besides. */
  const whole = (rest, tableIn) => {
    const parts = Object.fromEntries(PARTS.map((part) => [part, tableIn(part)]));
    return { v: VERSION, ...parts, ...chosen(rest, ([name]) => name !== "v" && !PARTS.includes(name)) };
  };
  /** A record without what is not as it must be: a browser's storage may hold anything. */
  const cleaned = (record) => {
    const sound = (part) => chosen(isTable(record[part]) ? record[part] : {}, ([, value]) => FITS[part](value));
    return whole(record, sound);
  };
  const empty = () => cleaned({});

  // -- how an older one is adopted --------------------------------------------------------------------------------

  // The first form kept "solved", "tried" and "tries" by an exercise's name, "predicted" by a lesson's number and a digest,
  // "read" and "place" by a lesson's stem, and "again" by either name, that of a prediction behind "predict-".
  const OLD = ["solved", "tried", "tries", "predicted", "again"];
  const OLD_PREDICTION = /^predict-((?:\d\d|page)-[0-9a-f]{6}(?:-\d+)?)$/;
  const topicOf = (stem) => stem.replace(/^\d+_/, "");

  const opened = (text) => {
    try {
      return mapped(JSON.parse(text), ([name, said]) => [name, String(said)]);
    } catch {
      return {};
    }
  };
  const planOf = (old) => (isTable(old) ? { step: old.step, due: old.due, words: String(old.words ?? "") } : { done: 0 });

  /** What stands in the parts of the first form, as a record of today; tables that are none are left out. */
  const converted = (old) => {
    const part = (name) => (isTable(old[name]) ? Object.entries(old[name]) : []);
    const found = { exercises: {}, predictions: {} };
    const add = (table, key, more) => Object.assign(found[table], { [key]: { ...entry(found[table], key), ...more } });
    for (const [name, solved] of part("solved")) add("exercises", name, { solved });
    for (const [name, tries] of part("tries")) add("exercises", name, { tries });
    for (const [name, tried] of part("tried")) add("exercises", name, { tried: opened(tried) });
    for (const [key, said] of part("predicted")) add("predictions", key, isTable(said) ? said : { said });
    for (const [id, plan] of part("again")) {
      const prediction = OLD_PREDICTION.exec(id)?.[1];
      add(prediction ? "predictions" : "exercises", prediction ?? id, { again: planOf(plan) });
    }
    return found;
  };
  /** Forms before the third did not say whether an output had been seen: where nothing is said, it has been. What is said
   * is judged when its page is opened the next time, where the script knows what is right. */
  const aged = ({ v, predictions, ...rest }) => {
    const seen = ([key, one]) => [key, isTable(one) && !one.said ? { ...one, known: true } : one];
    return { v, ...rest, ...(isTable(predictions) && { predictions: v >= 3 ? predictions : mapped(predictions, seen) }) };
  };
  /** Any record, of whatever form, as one of today: the parts of the first form, where there are any, are joined to it. */
  const adopted = (value) => {
    if (!isTable(value)) return empty();
    const byTopic = mapped({ read: {}, place: {}, ...chosen(value, ([name]) => ["read", "place"].includes(name)) }, ([name, table]) => [
      name,
      isTable(table) ? mapped(table, ([stem, one]) => [topicOf(stem), one]) : {},
    ]);
    const today = aged(chosen(value, ([name]) => !OLD.includes(name)));
    return merged(cleaned({ ...today, ...byTopic }), cleaned(aged(converted(value))));
  };

  /**
   * What a prediction is kept under, if its section has been renamed, or an older form kept it: its digest tells. And
   * what is kept under a lesson's topic or an exercise's name, if it has another one now: `topics` and `exercises` say which.
   */
  const settled = (record, known, topics = {}, exercises = {}) => {
    const digest = (key) => /-([0-9a-f]{6})(?:-\d+)?$/.exec(key)?.[1];
    const names = new Set(known);
    const predictions = {};
    const home = (key) => {
      const same = known.filter((one) => digest(one) === digest(key));
      return !names.has(key) && digest(key) && same.length === 1 ? same[0] : key;
    };
    for (const [key, one] of Object.entries(record.predictions)) {
      const [to, before] = [home(key), entry(predictions, home(key))];
      Object.assign(predictions, { [to]: before ? JOIN.predictions(before, one) : one });
    }
    const moved = (part) => {
      const found = {};
      for (const [topic, one] of Object.entries(record[part] ?? {})) {
        const to = entry(topics, topic) ?? topic;
        if (!Object.hasOwn(found, to) || to === topic) found[to] = one; // what is kept under today's stands
      }
      return found;
    };
    const done = {};
    for (const [name, one] of Object.entries(record.exercises ?? {})) {
      const to = entry(exercises, name) ?? name;
      const before = entry(done, to);
      Object.assign(done, { [to]: before ? JOIN.exercises(before, one) : one });
    }
    const place = mapped(moved("place"), ([topic, one]) => [topic, { ...one, id: entry(exercises, one.id) ?? one.id }]);
    return { ...record, exercises: done, predictions, read: moved("read"), place };
  };

  // -- how two are joined -----------------------------------------------------------------------------------------

  const later = (a, b) => ((b.at ?? 0) > (a.at ?? 0) ? [b, a] : [a, b]);
  const better = (a, b, isGood) => (isGood(a) === isGood(b) ? later(a, b) : isGood(a) ? [a, b] : [b, a]);
  const madeAt = (plan) => plan.done ?? plan.due - DAYS[plan.step] * DAY;
  /** Of two plans for one thing the one that was made later; of two made at once, the one that comes earlier. */
  const plan = (a, b) => {
    if (!a || !b) return a ?? b;
    if (madeAt(a) !== madeAt(b)) return madeAt(a) > madeAt(b) ? a : b;
    return (b.due ?? Infinity) < (a.due ?? Infinity) ? b : a;
  };
  const withPlan = (one, a, b) => {
    const again = plan(a.again, b.again);
    return again ? { ...one, again } : one;
  };
  /** Of two browsers' predictions the one that was made first was made without knowing. */
  const foreseen = (a, b) => {
    const first = [a.first, b.first].filter(Boolean).sort((one, other) => (one.at ?? 0) - (other.at ?? 0))[0];
    return { ...(first && { first }), ...((a.known || b.known) && { known: true }) };
  };
  const JOIN = {
    exercises: (a, b) => {
      const [first, { tries, ...second }] = better(a, b, ({ solved }) => solved === true);
      return withPlan({ ...second, ...first }, a, b);
    },
    predictions: (a, b) => {
      const [one] = better(a, b, ({ said }) => Boolean(said));
      return withPlan({ ...one, ...foreseen(a, b) }, a, b);
    },
    read: (a, b) => a || b,
    place: (a, b) => later(a, b)[0],
    seen: (a, b) => Math.max(a, b),
    known: (a, b) => later(a, b)[0],
    path: (a, b) => later(a, b)[0],
    settings: (a, b) => later(a, b)[0],
  };

  /** All that stands in one of two records; where both have something, what is solved counts before what is not, what was
   * said before what was only looked at, and otherwise what is later. Where neither is, ours stays. */
  const merged = (ours, theirs) => {
    const part = (name) => {
      const table = { ...ours[name] };
      for (const [key, one] of Object.entries(theirs[name])) {
        Object.assign(table, { [key]: Object.hasOwn(table, key) ? JOIN[name](table[key], one) : one });
      }
      return table;
    };
    return whole({ ...theirs, ...ours }, part);
  };

  const sorted = (value) =>
    isTable(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;
  const same = (a, b) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
  const everyKey = (one, other, part) => [...new Set([...Object.keys(one[part]), ...Object.keys(other[part])])];
  const across = (one, other) => PARTS.flatMap((part) => everyKey(one, other, part).map((key) => ({ part, key })));

  /** What joining another record would do: [{ part, key, ours, theirs, joined }] for all that it adds or has otherwise.
   * Where somebody was, and when, is told only if it would change. */
  const compared = (ours, theirs) => {
    const joined = merged(ours, theirs);
    return across(ours, theirs)
      .map(({ part, key }) => ({ part, key, ours: entry(ours[part], key), theirs: entry(theirs[part], key), joined: joined[part][key] }))
      .filter((one) => one.theirs !== undefined && !same(one.ours, one.theirs))
      .filter((one) => ["exercises", "predictions"].includes(one.part) || !same(one.ours, one.joined));
  };
  /** A record without what a change made of it, as far as nothing else has changed the same since. */
  const undone = (now, { before, after }) => {
    const found = cleaned(now);
    for (const { part, key } of across(before, after)) {
      const was = entry(before[part], key);
      const [made, is] = [entry(after[part], key), entry(now[part], key)];
      if (same(was, made) || !same(is, made)) continue;
      if (was === undefined) delete found[part][key];
      else Object.assign(found[part], { [key]: was });
    }
    return found;
  };

  // -- what a file is ---------------------------------------------------------------------------------------------

  /**
   * The file beside a notebook: { exercises: { name: { solved, tries } }, predictions: { key: said } }, where `tries`
   * counts all attempts, and predictions may be missing.
   */
  const isNotebooks = (value) =>
    ["exercises", "exercises,predictions"].includes(Object.keys(value).sort().join()) &&
    tableOf(fields({ solved: isTruth, tries: (tries) => isCount(tries) && tries > 0 }, "solved", "tries"))(value.exercises) &&
    tableOf(isList(isSaid))(value.predictions ?? {});
  /** What took several tries in a notebook is repeated, as what took several on a page. A prediction has no time there. */
  const ofNotebook = ({ exercises = {}, predictions = {} }, now = Date.now()) =>
    cleaned({
      predictions: mapped(predictions, ([key, said]) => [key, { said }]),
      exercises: mapped(exercises, ([name, { solved, tries }]) => {
        const again = solved && tries > 1 ? { again: { step: 0, due: now + DAYS[0] * DAY, words: "" } } : {};
        return [name, { solved, ...(solved ? again : { tries }) }];
      }),
    });

  const listed = (names) => names.slice(0, 3).map((name) => `“${name.slice(0, 30)}”`).join(", ") + (names.length > 3 ? ", …" : "");

  /** What a file's text is: { record }, or { problem }, which says what it is instead. */
  const taken = (text, now = Date.now()) => {
    if (!text.trim()) return { problem: "it is empty" };
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return { problem: "it is no JSON, or a damaged one" };
    }
    if (!isTable(value)) return { problem: `it holds ${Array.isArray(value) ? "a list" : `only ${JSON.stringify(value).slice(0, 20)}`}` };
    const names = Object.keys(value);
    if (!names.length) return { problem: "it is an empty record, in which nothing was done" };
    if (names.includes("nbformat")) return { problem: "it is a notebook" };
    if (isNotebooks(value)) return { record: ofNotebook(value, now) };
    if (isCount(value.v) && value.v > VERSION && isTable(value.exercises)) {
      return { problem: `a newer edition of this site wrote it (version ${value.v} of the record). Open it there` };
    }
    const isOld = value.v === undefined && names.every((name) => [...OLD, "read", "place"].includes(name));
    const isToday = isCount(value.v) && value.v >= 2 && value.v <= VERSION && names.some((name) => PARTS.includes(name));
    if (!isOld && !isToday) return { problem: `it is another file, which holds ${listed(names)}` };
    const odd = names.find((name) => OLD.includes(name) && !isTable(value[name])) ?? damage({ ...converted(value), ...value });
    return odd ? { problem: `it is damaged: ${odd} is not as it must be` } : { record: adopted(value) };
  };

  return { isSaid: isList(isSaid), ofNotebook, DAYS, PARTS, VERSION, empty, adopted, settled, merged, compared, undone, same, taken, topicOf };
})();
