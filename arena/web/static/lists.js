// Owns the lists of matches in play and of submissions: the page says so when there is nothing in them.
"use strict";
(function (arena) {
  const find = (id) => document.getElementById(id);
  arena.watchRows(find("rows"), ({ order }) => {
    find("nothing").hidden = order.length > 0;
    find("list").hidden = !order.length;
  });
})((globalThis.arena ??= {}));
