/** The history as the page lists it, and what can be exported: asked for when somebody wants it. */
import { effect, signal } from "@preact/signals";
import { inline } from "../state/cards";
import { copyText, saveAs } from "../state/labels_file";
import type { Caption, Legend } from "../map/caption";
import { png, svg, type Scene } from "../map/picture";
import { Answers, problemOf } from "../wire/queries";
import type { Store } from "../state/store";
import * as strings from "../strings";

/** What the kernel makes a file of. */
export type Made = "labels_csv" | "web_page";

const FILES: Record<Made, [string, string]> = {
  labels_csv: ["labels.csv", "text/csv"],
  web_page: ["map.html", "text/html"],
};

/** What changes need of the view. */
interface Hands {
  say(message: string): void;
  able(): boolean;
  /** What a picture of the map is drawn from, null before there is a map. */
  scene(): Scene | null;
  /** The meaning of its colors. */
  legend(): Legend | null;
}

export class Changes {
  readonly answers: Answers<"changes">;
  /** What is being made, "" if nothing. */
  readonly making = signal<Made | "">("");
  readonly problem = signal("");
  /** The title of a picture, and whether it has a legend. */
  readonly title = signal("");
  readonly legend = signal(false);
  private readonly asker: number;
  private readonly coder: number;

  constructor(
    private readonly store: Store,
    private readonly hands: Hands,
  ) {
    this.answers = new Answers(store.queries, "changes");
    this.asker = store.queries.newAsker();
    this.coder = store.queries.newAsker();
  }

  /** Keep the list up to date until the returned function is called. */
  follow(): () => void {
    const { traits, link } = this.store;
    return effect(() => {
      void [traits.undo.value, traits.redo.value, traits.label_codes.value, traits.label_confidence.value];
      void [traits.classes.value, traits.links.value, traits.cannot_links.value, traits.pinned.value, traits.method.value];
      if (link.state.value !== "gone") this.answers.ask({}, []);
    });
  }

  /** Put the Python that does a step again on the clipboard. */
  copyCode(number: number): void {
    this.store.queries.ask(this.coder, "change_code", { number }, [], async (answer) => {
      this.problem.value = problemOf(answer);
      if (!answer || this.problem.peek()) return;
      const { text } = answer.fields as { text: string };
      this.hands.say((await copyText(text)) ? strings.codeCopied(inline(text, 200)) : strings.copyNotAllowed);
    });
  }

  /** Save a file that the kernel makes. */
  save(what: Made): void {
    if (this.making.peek() || !this.hands.able()) return;
    this.making.value = what;
    this.problem.value = "";
    this.store.queries.ask(this.asker, what, {}, [], (answer) => {
      this.making.value = "";
      this.problem.value = problemOf(answer);
      if (!answer || this.problem.peek()) return;
      const { text } = answer.fields as { text: string };
      this.keep(new Blob([text], { type: FILES[what][1] }), FILES[what][0]);
    });
  }

  /** Save the picture of the map as it is seen. */
  async picture(form: "png" | "svg"): Promise<void> {
    this.problem.value = "";
    try {
      const scene = this.hands.scene();
      if (!scene) return;
      this.keep(form === "png" ? await png(scene, this.caption()) : svg(scene, this.caption()), `map.${form}`);
    } catch (error) {
      this.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  /** Put the picture on the clipboard. */
  async copyPicture(): Promise<void> {
    this.problem.value = "";
    try {
      const scene = this.hands.scene();
      if (!scene) return;
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png(scene, this.caption()) })]);
      this.hands.say(strings.pictureCopied);
    } catch {
      this.problem.value = strings.copyPictureNotAllowed;
    }
  }

  private caption(): Caption {
    return { title: inline(this.title.peek(), 200), legend: this.legend.peek() ? this.hands.legend() : null };
  }

  private keep(blob: Blob, name: string): void {
    saveAs(blob, name);
    this.hands.say(strings.saved(name));
  }
}
