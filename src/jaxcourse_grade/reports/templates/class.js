"use strict";
(() => {
  const table = document.querySelector("table.students");
  const rows = [...table.tBodies[0].rows];
  const marks = new Map(rows.map((row) => [row, JSON.parse(row.dataset.marks)]));
  const [exercise, mistake] = document.querySelectorAll(".filter select");
  const count = document.querySelector(".filter output");

  const matches = (mark) =>
    (!exercise.value || mark[0] === exercise.value) && (mistake.value ? mark[1] === mistake.value : !mark[2]);

  const show = () => {
    const filtered = exercise.value || mistake.value;
    for (const row of rows) row.hidden = filtered && !marks.get(row).some(matches);
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = filtered ? `${left} of ${rows.length} students` : "";
  };

  const fill = (select, counts) => {
    const kept = select.value;
    select.length = 1;
    for (const [value, number] of [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])))
      select.add(new Option(`${value} (${number})`, value));
    if (counts.has(kept)) select.value = kept;
  };

  const counted = (pick, keep) => {
    const counts = new Map();
    for (const list of marks.values())
      for (const value of new Set(list.filter(keep).map(pick))) counts.set(value, (counts.get(value) || 0) + 1);
    return counts;
  };

  exercise.addEventListener("change", () => {
    fill(mistake, counted((mark) => mark[1], (mark) => !exercise.value || mark[0] === exercise.value));
    show();
  });
  mistake.addEventListener("change", show);
  fill(exercise, counted((mark) => mark[0], (mark) => !mark[2]));
  fill(mistake, counted((mark) => mark[1], () => true));
  document.querySelector(".filter").hidden = false;

  const text = (row, column) => row.cells[column].dataset.sort || row.cells[column].textContent;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.ariaSort = null;
      head.ariaSort = down ? "descending" : "ascending";
      rows.sort((a, b) => (down ? -1 : 1) * text(a, column).localeCompare(text(b, column), "en", { numeric: true }));
      table.tBodies[0].append(...rows);
    });
  });
})();
