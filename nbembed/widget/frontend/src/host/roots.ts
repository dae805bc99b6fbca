/**
 * Where the focus is, and what fills the screen. Some hosts put the widget into a shadow tree: the document
 * then names only the host of that tree, and what is inside is known to the root of the tree.
 */

function rootOf(element: Element): DocumentOrShadowRoot | null {
  const root = element.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root : null;
}

/** Whether this element has the focus. */
export function focusIsOn(element: Element | null): boolean {
  return element !== null && rootOf(element)?.activeElement === element;
}

/** Whether this element or one in it has the focus. */
export function focusIsIn(element: Element | null): boolean {
  return element !== null && element.contains(rootOf(element)?.activeElement ?? null);
}

/** Whether this element fills the screen. */
export function isFullScreen(element: Element | null): boolean {
  return element !== null && rootOf(element)?.fullscreenElement === element;
}
