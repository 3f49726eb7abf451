// What to repeat, and when: what went wrong comes back after 1, 3, 7 and 21 days, and is done when it was right each
// time. Kept by `course` under "again": the id of an exercise or of a prediction -> { step, due, at, words }, where `at`
// is the stem of its lesson. Other scripts say what became of an attempt:
//   repeat.missed(id, words)  it was wrong, or right only after several tries: it is due tomorrow
//   repeat.met(id)            it was right at once: if it was due, it comes back later
window.repeat = (() => {
  "use strict";
  const PART = "again";
  const DAYS = [1, 3, 7, 21];

  /** When a day begins that is some days from now: whoever learns in the evening may repeat in the morning. */
  const inDays = (days) => {
    const now = new Date();
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
  };
  /** What was kept; a record from elsewhere may hold anything. */
  const kept = (id) => {
    const found = window.course?.get(PART, id);
    return [...DAYS.keys()].includes(found?.step) && Number.isFinite(found.due) ? found : undefined;
  };
  const isDue = (id) => (kept(id)?.due ?? Infinity) <= Date.now();

  const here = () => /(\w+)(?:\.html)?$/.exec(location.pathname)?.[1];
  const put = (id, value) => window.course?.put(PART, id, value);
  const missed = (id, words = "") => put(id, { step: 0, due: inDays(DAYS[0]), at: here(), words });
  const met = (id) => {
    if (!isDue(id)) return;
    const step = kept(id).step + 1;
    put(id, step < DAYS.length ? { ...kept(id), step, due: inDays(DAYS[step]) } : null);
  };
  /** What is done, or was taken off the list, is null: it was planned once. */
  const forget = (id) => put(id, null);
  const isNew = (id) => window.course?.get(PART, id) === undefined;

  /** What is planned, in the order in which it is due. */
  const planned = () =>
    Object.keys(window.course?.all(PART) ?? {})
      .filter(kept)
      .map((id) => ({ id, ...kept(id) }))
      .sort((a, b) => a.due - b.due);

  /** Take off the list what this page no longer asks: of what begins so, all but some ids. */
  const prune = (begin, ids) =>
    planned()
      .filter(({ id, at }) => at === here() && id.startsWith(begin) && !ids.includes(id))
      .forEach(({ id }) => forget(id));

  /** Whether the reader has come here to repeat this. */
  const calls = (id) => isDue(id) && window.course.anchor() === id;

  return { missed, met, forget, planned, isDue, isNew, calls, prune };
})();
