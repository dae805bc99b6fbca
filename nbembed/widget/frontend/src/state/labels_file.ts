/** Labels, links and pins as a file: what a person said outlives the kernel that it was said to. */
import type { Store } from "./store";

/** The dictionary that `Supervision.from_dict` reads, or null if nothing was said. */
export function supervisionOf(store: Store): object | null {
  const { n_samples: size, classes, label_codes: codes, label_confidence: confidences, links, cannot_links: apart, pinned } = store.traits;
  const labels: [number, number, number][] = [];
  // Seven digits are all that a float32 has.
  codes.value.forEach((code, i) => code >= 0 && labels.push([i, code, Number(confidences.value[i].toPrecision(7))]));
  const said = { n_samples: size.value, classes: classes.value.map((c) => c.name), labels, rows: [], links: links.value, cannot_links: apart.value, pinned: [...pinned.value] };
  return said.classes.length || said.links.length || said.cannot_links.length || said.pinned.length ? said : null;
}

export function download(content: object, name: string): void {
  saveAs(new Blob([JSON.stringify(content)], { type: "application/json" }), name);
}

/** Put text on the clipboard; returns whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOld(text);
  }
}

/** Copy on a page that came without encryption, where browsers have no other way. */
function copyOld(text: string): boolean {
  let copied = false;
  const put = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
    copied = true;
  };
  document.addEventListener("copy", put, true);
  document.execCommand("copy");
  document.removeEventListener("copy", put, true);
  return copied;
}

/** Offer a file to the person. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
