// Heads sort their table; without this the table stands as it was written.
for (const table of document.querySelectorAll("table:not(#joints)")) {
  const body = table.tBodies[0];
  const key = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const order = (a, b) => (a !== "" && b !== "" && isFinite(a) && isFinite(b) ? a - b : a.localeCompare(b));
  table.querySelectorAll("th").forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => order(key(a, column), key(b, column)) * (down ? -1 : 1));
      body.append(...rows);
    };
  });
}
