// What to repeat, and when: what went wrong comes back after 1, 3, 7 and 21 days, and is done when it was right each
// time. Kept by `course` with each exercise and each prediction, under `again`; `part` is "exercises" or "predictions".
// Other scripts say what became of an attempt:
//   repeat.missed(part, key, words)  it was wrong, or right only after several tries: it is due tomorrow
//   repeat.met(part, key)            it was right at once: if it was due, it comes back later
//   repeat.call(key)                 how to check an exercise once more in the notebook
//   repeat.later(part, key)          what it repeats in other clothes has been solved: it is due in some days
window.repeat = (() => {
  "use strict";
  const { DAYS } = window.courseRecord;
  const PARTS = ["exercises", "predictions"];

  /** When a day begins that is some days from now: whoever learns in the evening may repeat in the morning. */
  const inDays = (days) => {
    const now = new Date();
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
  };
  const plan = (part, key) => window.course?.get(part, key)?.again;
  const isDue = (part, key) => (plan(part, key)?.due ?? Infinity) <= Date.now();
  const put = (part, key, again) => window.course?.change(part, key, { again });

  const missed = (part, key, words = "") => put(part, key, { step: 0, due: inDays(DAYS[0]), words });
  const met = (part, key) => {
    if (!isDue(part, key)) return;
    const step = plan(part, key).step + 1;
    const next = { ...plan(part, key), step, due: inDays(DAYS[step]) };
    put(part, key, step < DAYS.length ? next : { done: Date.now() });
  };
  /** It repeats what the reader can do already: it comes some days from now. */
  const later = (part, key) => put(part, key, { step: 0, due: inDays(DAYS[1]), words: "" });
  const isNew = (part, key) => plan(part, key) === undefined;

  /** What is planned, in the order in which it is due. */
  const planned = () =>
    PARTS.flatMap((part) => Object.entries(window.course?.all(part) ?? {}).map(([key, { again }]) => ({ part, key, ...again })))
      .filter(({ due }) => due !== undefined)
      .sort((a, b) => a.due - b.due);

  /** The id at which it stands on its lesson's page. */
  const idOf = (part, key) => (part === "predictions" ? `predict-${key}` : key);
  /** Whether the reader has come here to repeat this. */
  const calls = (part, key) => isDue(part, key) && window.course.anchor() === idOf(part, key);

  /** How to check a function on other inputs in the notebook: on others each time. */
  const call = (key) => `check("${key}", variant=${(plan("exercises", key)?.step ?? 0) + 1})`;

  return { call, missed, met, later, planned, isDue, isNew, calls, idOf };
})();
