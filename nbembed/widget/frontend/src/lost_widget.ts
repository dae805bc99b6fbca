/**
 * The script of an output between the picture of a map and the widget (`nbembed/widget/host/still_output.py`).
 * A notebook that is opened again has no model of the widget: JupyterLab and Notebook then say "Error
 * displaying widget" below the picture. The script hides that line and its own empty output. It runs
 * only where a notebook is trusted, and does nothing on other pages.
 */

const OUTPUT = ".jp-OutputArea-child";
/** How the widget manager begins what it says in place of a widget. */
const ERROR = "Error displaying widget";

const own = document.currentScript;

function hideError(): void {
  const output = own?.closest<HTMLElement>(OUTPUT);
  const area = output?.parentElement;
  if (!output || !area) return;
  output.style.display = "none";
  const look = (): void => {
    if (!output.isConnected) observer.disconnect(); // the cell has other outputs now
    const next = output.nextElementSibling;
    if (!(next instanceof HTMLElement) || !next.matches(OUTPUT)) return;
    const said = next.querySelector(".jp-OutputArea-output.jupyter-widgets, .jp-OutputArea-output .jupyter-widgets")?.textContent ?? "";
    // A widget that comes after all is shown.
    next.style.display = said.startsWith(ERROR) ? "none" : "";
  };
  const observer = new MutationObserver(look);
  look();
  observer.observe(area, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["class"] });
}

// An output is rendered before it is attached.
setTimeout(hideError, 0);
