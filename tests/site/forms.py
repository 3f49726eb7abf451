"""The forms of a page: their examples are no answers, what the run says is read, and what is kept is known."""

from playwright.sync_api import Page

LOOK = """() => {
if (!window.predict && !window.reader) return [];
const forms = [...document.querySelectorAll("form.predict-form")];
const keys = ([label, digests]) => digests.split(" ").map((digest) => `${label}-${digest}`);
const asking = [...courseLessons, ...coursePages];
const known = asking.flatMap(({ predictions }) => Object.entries(predictions).flatMap(keys));
const bare = /^[-+\\d.,e]+$/i;
const strange = forms.map(({ dataset }) => dataset.key).filter((key) => !known.includes(key));
const found = strange.map((key) => ["kept under a name that no list has", key]);
for (const form of forms) {
  const fields = JSON.parse(form.dataset.fields);
  for (const one of fields) {
    const answers = (field) => one.example && field.kind === one.kind && predict.judge(field, one.example).right;
    if (fields.some(answers)) found.push(["the example is the answer", one.ask, one.example]);
    if (one.example && predict.complaint(one, one.example)) found.push(["the example is unread", one.ask, one.example]);
    if (one.kind !== "number" || one.open || one.right === null) continue;
    const shown = bare.test(one.shown) && one.unit ? `${one.shown} ${one.unit}` : one.shown;
    if (!predict.judge(one, shown).right) found.push(["what the run says is not right", one.ask, shown]);
  }
}
for (const script of document.querySelectorAll("script.answers-data")) {
  const { examples, right, mistakes, comma, no_list: list } = JSON.parse(script.textContent);
  const wrong = mistakes.flatMap(({ when }) => when.flatMap(Object.values)).flat();
  const sources = [...right.map(([, source]) => source), ...wrong];
  const plain = (_, one) => (typeof one === "bigint" ? Number(one) : one);
  const value = (source) => JSON.stringify(reader.expression(source, false), plain);
  const listed = sources.filter(Boolean).map(value);
  for (const [, shown] of `${examples} ${right.length ? comma + list : ""}`.matchAll(/`(\\(?[\\d("][^`]*)`/g))
    if (listed.includes(value(shown)) && !/^\\(\\d+\\)$/.test(shown)) found.push(["the example is an answer", shown]);
}
return found;
}"""


def strange_forms(page: Page) -> list[list[str]]:
    """What is not so of the forms of the page that is open."""
    found: list[list[str]] = page.evaluate(LOOK)
    return found
