// Owns the list of all matches, a replay file a page; the address keeps the page (`#page=3`).
"use strict";
(function (arena) {
  const { make, points } = arena.dom;
  const find = (id) => document.getElementById(id);
  const message = find("message");
  if (!message) return;
  const { files, bots, matches_a_file: size } = arena.run;
  let shown = 0;

  const show = async (page) => {
    shown = Math.min(Math.max(page, 1), files.length);
    const entries = await arena.replayFiles.loadFile(files[shown - 1]).catch((trouble) => trouble);
    if (entries instanceof Error) {
      message.textContent = `${entries.message}. Is the report complete?`;
      return;
    }
    find("matches").replaceChildren(...entries.map(row));
    document.querySelector(".match-table").hidden = false;
    message.textContent = `${entries[0][0]} to ${entries.at(-1)[0]}`;
    find("page").value = String(shown);
    find("previous").disabled = shown === 1;
    find("next").disabled = shown === files.length;
  };

  const row = ([id, seats, , , totals, places, , , more = {}]) =>
    make(
      "tr", {},
      make("th", { scope: "row" }, make("a", { href: `match.html?${encodeURIComponent(id)}` }, id)),
      ...seats.map((bot, seat) =>
        make(
          "td", { class: places[seat] === 1 ? "won" : "" },
          make("span", { class: "name" }, bots[bot].name),
          make("span", { class: "figure" }, points(totals[seat])),
        ),
      ),
      make("td", {}, more.faults ? make("span", { class: "bad" }, String(more.faults.length)) : "0"),
    );

  const turn = (page) => {
    history.replaceState(null, "", `#page=${page}`);
    show(page);
  };

  const fromAddress = () => show(+(/^#page=(\d{1,6})$/.exec(location.hash)?.[1] ?? 1));

  find("page").append(
    ...files.map((file, index) =>
      make("option", { value: index + 1 }, `${index + 1} of ${files.length}, from set ${(file * size) / 4}`),
    ),
  );
  find("page").addEventListener("change", (event) => turn(+event.target.value));
  find("previous").addEventListener("click", () => turn(shown - 1));
  find("next").addEventListener("click", () => turn(shown + 1));
  find("pager").hidden = files.length < 2;
  addEventListener("hashchange", fromAddress);
  fromAddress();
})((globalThis.arena ??= {}));
