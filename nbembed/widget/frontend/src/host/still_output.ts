/**
 * The kernel puts a picture of the map beside the widget, for where no kernel runs. Where the map lives,
 * the picture is hidden, with the page that may lie over it. It is known by a note in the PNG, which no other picture has.
 */

const KEY = "nbembed-map\0";
const PREFIX = "data:image/png;base64,";
/** What base64 has of the note's place, the beginning of the file. */
const HEAD = 240;
/** An output in JupyterLab and Notebook. */
const OUTPUT = ".jp-OutputArea-child";

function isStill(image: HTMLImageElement): boolean {
  const source = image.getAttribute("src") ?? "";
  if (!source.startsWith(PREFIX)) return false;
  try {
    return atob(source.slice(PREFIX.length, PREFIX.length + HEAD)).includes(KEY);
  } catch {
    return false;
  }
}

/** Hide the picture beside a view for as long as the view is there; returns what shows it again. */
export function hideStillOutput(root: HTMLElement): () => void {
  const hidden = new Set<Element>();
  let observer: MutationObserver | null = null;
  const look = (area: Element): void => {
    for (const output of area.children) {
      if (hidden.has(output) || !output.matches(OUTPUT) || output.contains(root)) continue;
      const image = output.querySelector<HTMLImageElement>(".jp-RenderedImage img, .nbembed-still > img");
      if (!image || !isStill(image)) continue;
      output.classList.add("nbe-still-hidden");
      hidden.add(output);
    }
  };
  // A view is rendered before it is attached.
  const timer = setTimeout(() => {
    const area = root.closest(OUTPUT)?.parentElement;
    if (!area) return;
    look(area);
    observer = new MutationObserver(() => look(area));
    observer.observe(area, { childList: true, subtree: true, attributes: true, attributeFilter: ["src"] });
  }, 0);
  return () => {
    clearTimeout(timer);
    observer?.disconnect();
    for (const output of hidden) output.classList.remove("nbe-still-hidden");
  };
}
