// Owns the order of a table's rows: by a column, kept in the address (`#sort=points`, `#sort=-points`).
"use strict";
(function (arena) {
  const { make } = arena.dom;

  // Turns the headers of `table` that have `data-key` into buttons; cells say in `data-value` what they are sorted by.
  const sortable = (table) => {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const headers = [...table.tHead.rows[0].cells].filter((header) => header.dataset.key);

    const sortBy = (header, isDown) => {
      const at = header.cellIndex;
      const value = (row) => row.cells[at].dataset.value;
      const compare = (one, other) => {
        const [a, b] = [value(one), value(other)];
        if (a === "" || b === "") return (a === "") - (b === ""); // what is not known comes last
        const order = Number.isNaN(+a) || Number.isNaN(+b) ? a.localeCompare(b) : a - b;
        return isDown ? -order : order;
      };
      body.append(...[...original].sort(compare));
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      table.classList.toggle("is-resorted", header !== headers[0] || isDown);
    };

    const fromAddress = () => {
      const found = /^#sort=(-?)([a-z-]+)$/.exec(location.hash);
      const header = found && headers.find(({ dataset }) => dataset.key === found[2]);
      if (header) sortBy(header, found[1] === "-");
      else sortBy(headers[0], false);
    };

    const press = (header) => {
      const sorted = header.getAttribute("aria-sort");
      const isDown = sorted ? sorted === "ascending" : header.dataset.first === "down";
      history.replaceState(null, "", `#sort=${isDown ? "-" : ""}${header.dataset.key}`);
      sortBy(header, isDown);
    };

    for (const header of headers)
      header.replaceChildren(
        make("button", { type: "button", class: "sort", onclick: () => press(header) }, ...header.childNodes),
      );
    addEventListener("hashchange", fromAddress);
    fromAddress();
  };

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  arena.sortable = sortable;
})((globalThis.arena ??= {}));
