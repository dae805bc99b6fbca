/** Where a view goes on that takes the place of another one's: its tab, and what is searched and has the focus there. */
import { focusIsOn } from "../host/roots";

export interface Place {
  tab: string;
  /** The text by which columns are searched. */
  text: string;
  /** The `data-control` that has the focus, "" for none. */
  control: string;
}

/** Read the place of the view in an element. */
export function placeOf(element: Element): Place {
  const find = (selector: string): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(selector)];
  return {
    tab: find(".nbe-tab-panel")[0]?.dataset["tab"] ?? "",
    text: find(".nbe-data-search").map((input) => (input as HTMLInputElement).value)[0] ?? "",
    control: find("[data-control]").find(focusIsOn)?.dataset["control"] ?? "",
  };
}

/** Let the view that comes into an element go on at a place. */
export function leavePlace(element: HTMLElement, place: Place): void {
  element.dataset["place"] = JSON.stringify(place);
}

/** The place that was left for the view in an element, if one was. */
export function leftPlace({ dataset }: HTMLElement): Place | null {
  return dataset["place"] ? (JSON.parse(dataset["place"]) as Place) : null;
}
