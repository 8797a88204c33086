"use strict";
(() => {
  const cases = [...document.querySelectorAll("details.case")];
  const areas = [...document.querySelectorAll("section.area")];
  const words = document.getElementById("words");
  const boxes = [...document.querySelectorAll("#filter input[type=checkbox]")];
  const shown = document.getElementById("shown");
  const tagged = (area) => `area:${area.toLowerCase().replace(/\s+/g, "-")}`;
  const texts = new Map();
  for (const area of areas) {
    const tag = tagged(area.querySelector("h3").textContent);
    for (const one of area.querySelectorAll("details.case")) {
      texts.set(one, `${one.textContent.toLowerCase()} ${tag}`);
    }
  }

  const packs = document.querySelectorAll("script.pack");
  const unpacked = new Map(); // of each pack that somebody has asked for, a promise of its texts
  const unpack = (pack) => {
    const data = Uint8Array.from(atob(pack.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  };
  const details = async (number) => {
    const size = Number(packs[0].dataset.size);
    const pack = packs[Math.floor(number / size)];
    if (!unpacked.has(pack)) unpacked.set(pack, unpack(pack));
    return (await unpacked.get(pack))[number % size];
  };

  const fill = async (one) => {
    if (!one.open || one.childElementCount > 1) return;
    const body = document.createElement("div");
    body.className = "body";
    one.append(body);
    try {
      const text = await details(Number(one.id.slice(1)));
      body.innerHTML = text ?? "<p>The details of this case were left out.</p>";
    } catch (error) {
      body.textContent = `The details cannot be unpacked: ${error}`;
    }
  };

  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let count = 0;
    for (const one of cases) {
      const text = texts.get(one);
      one.hidden =
        !verdicts.has(one.dataset.verdict) || !wanted.every((word) => text.includes(word));
      count += one.hidden ? 0 : 1;
    }
    for (const area of areas) area.hidden = !area.querySelector("details.case:not([hidden])");
    shown.textContent = `${count} of ${cases.length} cases`;
  };

  const follow = () => {
    const one = document.getElementById(location.hash.slice(1));
    if (!one?.matches("details.case")) return;
    if (one.hidden) {
      words.value = "";
      for (const box of boxes) box.checked = true;
      filter();
    }
    one.open = true;
    fill(one).then(() => one.scrollIntoView());
  };

  for (const one of cases) one.addEventListener("toggle", () => fill(one));
  for (const button of document.querySelectorAll("button[data-area]")) {
    button.addEventListener("click", () => {
      const tag = tagged(button.dataset.area);
      words.value = words.value === tag ? "" : tag;
      filter();
      document.getElementById("filter").scrollIntoView();
    });
  }
  document.getElementById("filter").addEventListener("input", filter);
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  filter();
  follow();
})();
