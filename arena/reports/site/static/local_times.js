"use strict";
arena.dom.localTimes();
