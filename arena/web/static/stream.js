// Owns a stream of events from the server that is never lost for good, and the word that says how it is.
"use strict";
(function (arena) {
  const AGAIN_MS = 4000;

  // Calls `on.state(value)` with a whole state, `on.change(value)` with what changed since, and `on.gone()` when what is
  // watched is no longer there. `since` is the last event that the page has already; `sign` is an element that says
  // whether the stream stands.
  const stream = (address, on, { since = "", sign = null } = {}) => {
    let last = since;
    let source = null;
    let isClosed = false;

    const say = (text, isOn) => {
      if (!sign) return;
      sign.hidden = false;
      sign.textContent = text;
      sign.classList.toggle("on", isOn);
    };
    const open = () => {
      source = new EventSource(last ? `${address}?since=${encodeURIComponent(last)}` : address);
      source.onopen = () => say("live", true);
      source.onerror = () => {
        say("connection lost, trying again", false);
        if (source.readyState === EventSource.CLOSED) setTimeout(again, AGAIN_MS);
      };
      for (const name of ["state", "change"])
        source.addEventListener(name, (event) => {
          last = event.lastEventId;
          on[name]?.(JSON.parse(event.data));
        });
    };
    // A stream that was refused tells no reason: ask for it, and go on unless there is nothing to watch any more.
    const again = async () => {
      const answer = await fetch(address, { method: "HEAD" }).catch(() => null);
      if (isClosed) return;
      if (answer && [401, 404].includes(answer.status) && on.gone) on.gone();
      else open();
    };
    const close = () => {
      isClosed = true;
      source.onerror = null;
      source.close();
    };
    open();
    return { close };
  };

  arena.stream = stream;
})((globalThis.arena ??= {}));
