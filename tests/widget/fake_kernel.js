// A stand-in for the kernel's side of an Explorer: a model as anywidget hands it to the front end,
// and behind it a toy map whose points form clusters. Tests drive it and read what the page sent.
// After each test its traits and messages are checked against the schema (contract.py).

const COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8A1538", "#5A4BEB", "#DCCB55", "#77E08F"];
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wedge", "pentagon", "saltire", "hexagon"];

function random(seed) {
  let s = seed >>> 0;
  return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296;
}

const view = (array) => new DataView(array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength));

// Kernels of the maps of some points.
const children = new Map();

export class FakeKernel {
  constructor({ n = 600, clusters = 10, seed = 1, interval = 8, host = false, composes = true, about = {}, ...traits } = {}) {
    this.about = about;
    this.composes = composes; // whether the host shows widgets inside others
    this.n = n;
    this.clusters = clusters;
    this.interval = interval;
    this.random = random(seed);
    this.sent = [];
    this.told = [];
    this.replied = {};
    this.listeners = new Map();
    this.version = 0;
    this.seq = 0;
    this.client = null;
    this.flying = new Set();
    this.applied = {};
    this.suggesting = false; // whether the page shows suggestions
    this.precise = false; // whether the page needs full precision
    this.check = null;
    this.checkedFrom = 0;
    this.accepted = new Set();
    this.wrong = [];
    this.acks = 0;
    this.saved = new Map(); // points of saved selections
    this.outbox = []; // of a host that delivers only what answers a message
    this.handling = false;
    this.answers = {}; // for each query (arguments, sets) => [fields, arrays], or an error as text
    this.refuse = null;
    this.silent = this.deaf = false; // it answers nothing; nothing can be sent to it
    this.ended = false; // nothing comes from it either, also not what is under way
    this.inCell = null; // resolves when the cell that keeps it busy ends
    this.statusListeners = new Set();
    this.connectionListeners = new Set();
    this.disposedListeners = new Set();
    const signal = (set) => ({ connect: (f) => set.add(f), disconnect: (f) => set.delete(f) });
    // What JupyterLab's managers know of the kernel; other hosts have no such thing.
    this.host = host && {
      statusChanged: signal(this.statusListeners),
      connectionStatusChanged: signal(this.connectionListeners),
      disposed: signal(this.disposedListeners),
      requestKernelInfo: async () => { await this.inCell; },
    };
    this.truth = Array.from({ length: n }, (_, i) => i % clusters);
    this.positions = Float32Array.from({ length: 2 * n }, () => (this.random() - 0.5) * 0.02);
    this.noise = Float32Array.from({ length: 2 * n }, () => this.gauss());
    this.codes = new Int32Array(n).fill(-1);
    this.confidence = new Float32Array(n);
    this.kept = {}; // layouts of snapshots
    this.titles = []; // of columns, where these are too many to be listed
    this.slow = 0; // milliseconds until an answer
    this.held = null; // commands that wait to be obeyed, while it is a list
    this.table = []; // columns that can be embedded
    this.standardized = true;
    this.whole = null; // the kernel of the map whose points are prepared otherwise here
    Object.assign(this.answers, comparing(this));
    this.answers.images = (_, [asked]) => {
      const images = asked.map((point) => [point, (this.about[point] ?? this.about.all)?.image]).filter(([, image]) => image);
      return [{ points: images.map(([point]) => point), lengths: images.map(([, image]) => image.length) }, [Uint8Array.from(images.flatMap(([, image]) => image))]];
    };
    this.answers.data_columns = ({ text }) => {
      const refusal = this.table.length ? "" : "The columns of a table can be chosen; these data are prepared as a whole.";
      const all = this.table.filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()));
      return [{ refusal, columns: all.slice(0, 50), standardized: this.standardized, embedded: this.table.filter(({ embedded }) => embedded).length, matching: all.length, count: this.table.length }, []];
    };
    this.answers.find_columns = ({ text }) => {
      const all = this.titles.map((title, k) => [title, k]).filter(([title]) => title.toLowerCase().includes(text.trim().toLowerCase()));
      const best = all.slice(0, 50);
      return [{ columns: best.map(([, k]) => k), titles: best.map(([title]) => title), colors: best.map(([, k]) => k), numbers: best.map(() => true), matching: all.length, count: this.titles.length }, []];
    };
    this.traits = {
      n_samples: n,
      height: 640,
      coordinates: view(this.positions),
      membership_colors: view(new Uint8Array(0)),
      directions: [],
      borders: [],
      direction_colors: [],
      label_codes: view(this.codes),
      label_confidence: view(this.confidence),
      classes: [],
      links: [],
      cannot_links: [],
      pinned: view(new Uint32Array(0)),
      centers: [],
      center_names: [],
      center_colors: [],
      color_column: {
        kind: "category", title: "digit",
        names: Array.from({ length: clusters }, (_, k) => String(k)),
        colors: Array.from({ length: clusters }, (_, k) => COLORS[k % COLORS.length]),
      },
      color_values: view(Float32Array.from(this.truth)),
      color_columns: [],
      color_column_count: traits.color_columns?.length ?? 0,
      color_by: "column",
      selection: view(new Uint32Array(0)),
      selections: [],
      new_rows: view(new Uint32Array(0)),
      cards: view(new Uint32Array(0)),
      data_note: "",
      named: false,
      names_shown: true,
      imaged: false,
      thumbnails_shown: true,
      own_figure: 0,
      sidebar_width: 0,
      explained: -1,
      unsupervised_shown: false,
      method: "HSSNE",
      quality_metric: "euclidean",
      methods: ["HSSNE", "Mbed", "SNE"],
      method_groups: [{ title: "Neighbor embeddings", names: ["HSSNE", "SNE"], sentences: ["", ""] }],
      controls: [
        { name: "alpha", symbol: "α", low: 0, high: 2, scale: "linear", step: 0.02, usual: 1, enabled: true, description: "How heavy the tails are: 0 is SSNE, 1 is t-SNE; more pulls clusters apart.", needs: "" },
        { name: "rho", symbol: "ρ", low: 0, high: 1, scale: "linear", step: 0.01, usual: 0.5, enabled: false, description: "How much labels and links count.", needs: "Active once two points share a label or a link." },
      ],
      prepared: [
        { name: "perplexity", title: "Perplexity", value: "30", words: [], description: "About as many neighbors count.", cost: "Recomputes neighbors (600 points) while the map keeps moving." },
        { name: "metric", title: "Metric", value: "euclidean", words: ["euclidean", "cosine"], description: "How dissimilar two points are.", cost: "Recomputes neighbors (600 points) while the map keeps moving." },
      ],
      parameters: { alpha: 1, rho: 0.5 },
      class_count: null,
      state: "idle",
      iteration: 0,
      cost: null,
      quality: null,
      error: "",
      compiling: false,
      learning: "",
      making: "",
      making_share: null,
      meanwhile: "",
      remark: "",
      learning_error: "",
      worse_optimum: "",
      request: "",
      polled: false,
      reactive: false,
      revision: 0,
      saved_to: "",
      save_error: "",
      undo: "",
      redo: "",
      history: view(new Float32Array(0)),
      path: [],
      path_symbol: "",
      chosen_step: -1,
      snapshots: [],
      compared: null,
      second: null,
      child_maps: [],
      ...traits,
    };
  }

  gauss() {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  // How a kernel ends, as the hosts of the page tell of it.
  end(how, event) {
    clearInterval(this.timer);
    this.silent = this.ended = true;
    if (how === "status") this.emit(this.statusListeners, event);
    else if (how === "event") this.trigger(event);
    else if (how === "given up") this.emit(this.disposedListeners);
    if (how !== "status" || event === "restarting") this.deaf = true;
  }

  connection(status) {
    this.emit(this.connectionListeners, status);
  }

  trigger(event) {
    for (const f of [...(this.listeners.get(event) ?? [])]) f();
  }

  emit(listeners, value) {
    for (const f of [...listeners]) f(null, value);
  }

  // What anywidget hands to initialize and render; one each, as anywidget does.
  model() {
    return {
      get: (name) => this.traits[name],
      set: (name, value) => {
        if (name !== "revision" || !this.traits.reactive) throw new Error(`the page must not write ${name}`);
        this.written = { ...this.written, [name]: value };
      },
      save_changes: () => { this.update(this.written); },
      on: (name, callback) => {
        if (!this.listeners.has(name)) this.listeners.set(name, new Set());
        this.listeners.get(name).add(callback);
      },
      off: (name, callback) => {
        if (name === null || name === undefined) this.listeners.clear();
        else this.listeners.get(name)?.delete(callback);
      },
      send: (content, _callbacks, buffers = []) => {
        if (this.deaf) throw new Error("Cannot send");
        this.receive(JSON.parse(JSON.stringify(content)), buffers);
      },
      widget_manager: this.host ? { kernel: this.host } : {},
    };
  }

  // What anywidget hands to render to show other widgets; `factory` is of the module of all of them.
  widgets(factory) {
    if (!this.composes) return undefined;
    const host = {
      getWidget: async (name) => {
        const child = children.get(name);
        if (!child) throw new Error(`no widget ${name}`);
        const widget = await factory();
        const end = await widget.initialize({ model: child.model() });
        this.child = child;
        return {
          render: async ({ el, signal }) => {
            const remove = await widget.render({ model: child.model(), el, host });
            signal.addEventListener("abort", () => { remove(); end(); });
          },
        };
      },
    };
    return host;
  }

  get listening() {
    return [...this.listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  update(changes) {
    if (this.outbox.length && !this.handling) this.flush();  // as the kernel does: in order
    Object.assign(this.traits, changes);
    for (const name of Object.keys(changes)) for (const f of [...(this.listeners.get(`change:${name}`) ?? [])]) f();
  }

  custom(content, buffers = []) {
    if (this.ended) return;
    if (this.traits.polled && !this.handling) {
      this.outbox.push([content, buffers.map((array) => array.slice())]);
      return;
    }
    this.told.push({ content, buffers: buffers.map((array) => array.byteLength) });
    for (const f of [...(this.listeners.get("msg:custom") ?? [])]) f(content, buffers.map(view));
  }

  receive(content, buffers) {
    const sets = buffers.map((buffer) => [...new Uint32Array(buffer)]);
    this.sent.push({ points: sets[0] ?? null, ...content, sets });
    if (content.client) this.client = content.client;
    if (content.type === "ack") {
      for (const seq of this.flying) if (seq <= content.seq) this.flying.delete(seq);
      this.acks++;
    }
    if (content.type === "hello" && !this.silent) {
      const { client } = content;
      setTimeout(() => this.custom({ type: "reply", request: 0, client, ok: true, error: null }), 1);
    }
    if (this.traits.polled) {
      setTimeout(() => this.flush(content.type === "poll" ? { type: "reply", request: 0, client: content.client, ok: true, error: null } : null), 3);
    }
    if (content.type === "precision") {
      this.precise = content.full;
      if (!this.silent) setTimeout(() => this.frame(), 1);
    }
    if (content.type === "suggesting") {
      this.suggesting = content.shown;
      if (!this.silent) setTimeout(() => this.suggest(), 1);
    }
    if (content.type === "inspect" && !this.silent) setTimeout(() => this.card(content), 1);
    if (content.type === "naming" && !this.silent) {
      const { client, points } = content;
      setTimeout(() => this.custom({ type: "names", client, points, names: points.map((p) => this.nameOf(p)) }), 1);
    }
    if (content.type === "query" && !this.silent) setTimeout(() => this.answer(content, sets), 1 + this.slow);
    if (content.type === "command" && !this.silent) setTimeout(() => (this.held ? this.held.push([content, buffers]) : this.obey(content, buffers)), 1);
  }

  flush(reply) {
    this.handling = true;
    if (reply) this.custom(reply);
    for (const [content, buffers] of this.outbox.splice(0)) this.custom(content, buffers);
    this.handling = false;
  }

  answer({ name, arguments: a, request, client }, sets) {
    const found = this.answers[name]?.(a ?? {}, sets) ?? `${name} is not known here`;
    const [fields, arrays] = typeof found === "string" ? [{}, []] : found;
    this.custom({ type: "answer", client, request, name, error: typeof found === "string" ? found : null, fields }, arrays);
  }

  // Obey so many of the commands that wait, the oldest first; others go on waiting.
  release(count) {
    for (const [content, buffers] of this.held.splice(0, count)) this.obey(content, buffers);
  }

  commands(name) {
    return this.sent.filter((m) => m.type === "command" && (!name || m.name === name));
  }

  obey({ name, arguments: a, request, client }, buffers) {
    const points = buffers.length ? [...new Uint32Array(buffers[0])] : [];
    if (this.refuse) {
      this.custom({ type: "reply", request, client, ok: false, error: this.refuse });
      return;
    }
    const { classes, parameters } = this.traits;
    if (name === "play") this.play();
    if (name === "pause") this.pause();
    if (name === "step") this.tick(1);
    if (name === "reset") {
      for (let i = 0; i < 2 * this.n; i++) this.positions[i] = (this.random() - 0.5) * 0.02;
      this.update({ iteration: 0 });
    }
    if (name === "set") this.update({ parameters: { ...parameters, ...a }, undo: `set ${Object.keys(a)[0]}` });
    if (name === "set_word") this.update({ prepared: this.traits.prepared.map((p) => (p.name === a.name ? { ...p, value: a.word } : p)) });
    if (name === "select") this.update({ selection: view(Uint32Array.from(points)) });
    if (name === "save_selection" || name === "delete_selection") {
      if (name === "save_selection") this.saved.set(a.name, points);
      else this.saved.delete(a.name);
      this.update({ selections: [...this.saved].map(([name, saved]) => ({ name, count: saved.length })) });
    }
    if (name === "show_cards") this.update({ cards: view(Uint32Array.from(points)) });
    if (name === "size_panel") this.update({ sidebar_width: a.width });
    if (name === "show_names") this.update({ names_shown: a.shown });
    if (name === "show_thumbnails") this.update({ thumbnails_shown: a.shown });
    if (name === "show_unsupervised") this.update({ unsupervised_shown: a.shown });
    if (name === "color_by") this.update({ color_by: a.mode });
    if (name === "color_by_column") {
      const { kind, values } = this.offered?.[a.column] ?? { kind: "number", values: this.truth };
      this.update({
        color_column: { kind, title: this.traits.color_columns[a.column] ?? this.titles[a.column], names: [], colors: [] },
        color_values: view(Float32Array.from(values)), color_by: "column",
      });
    }
    if (name === "add_class") this.addClass(a.name);
    if (name === "rename_class") this.update({ classes: classes.map((c) => (c.name === a.old ? { ...c, name: a.new } : c)) });
    if (name === "style_class") {
      const { name: of, place, ...look } = a;
      let list = classes.map((c) => (c.name === of ? { ...c, ...look } : c));
      if (place !== undefined) {
        const names = [...list].sort((x, y) => x.place - y.place).map((c) => c.name).filter((n) => n !== of);
        names.splice(place, 0, of);
        list = list.map((c) => ({ ...c, place: names.indexOf(c.name) }));
      }
      this.update({ classes: list });
    }
    if (name === "merge_classes") this.dropClass(a.old, a.into);
    if (name === "remove_class") this.dropClass(a.name, null);
    if (name === "label") {
      if (!classes.some((c) => c.name === a.class)) this.addClass(a.class);
      const k = this.traits.classes.findIndex((c) => c.name === a.class);
      for (const p of points) {
        [this.codes[p], this.confidence[p]] = [k, a.confidence];
        this.accepted.delete(p);
      }
      this.supervised(`label ${points.length === 1 ? "1 point" : `${points.length} points`} as ${a.class}`);
    }
    if (name === "accept") {
      const { classes, sureness } = this.suggestions();
      for (let p = 0; p < this.n; p++) {
        if (this.codes[p] >= 0 || sureness[p] < 1 + Math.round(200 * a.confidence)) continue;
        [this.codes[p], this.confidence[p]] = [classes[p], (sureness[p] - 1) / 200];
        this.accepted.add(p);
      }
      this.supervised("accept suggestions");
    }
    if (name === "check_suggestions") {
      this.checkedFrom = a.confidence;
      this.check = Array.from({ length: a.size }, (_, i) => (7 * i + 3) % this.n).filter((p) => this.codes[p] < 0);
      this.suggest();
    }
    if (name === "end_check") this.check = null;
    if (name === "cancel" && !["unsupervised", "stability"].includes(a.what)) this.update(a.what === "learning" ? { learning: "" } : { making: "", making_share: null, meanwhile: "" });
    if (name === "must_link") {
      this.update({ links: [...this.traits.links, points] });
      this.supervised(`link ${points.length} points`);
    }
    if (name === "cannot_link") {
      const sides = buffers.map((b) => [...new Uint32Array(b)]);
      this.update({ cannot_links: [...this.traits.cannot_links, sides] });
      this.supervised(`keep ${sides[0].length} points apart from ${sides[1].length} points`);
    }
    if (name === "pin" || name === "unpin") {
      const pinned = new Set(new Uint32Array(this.traits.pinned.buffer));
      for (const p of points) name === "pin" ? pinned.add(p) : pinned.delete(p);
      this.update({ pinned: view(Uint32Array.from(pinned).sort()) });
      this.supervised(`${name} ${points.length} points`);
    }
    if (name === "forget") {
      for (const p of points) this.codes[p] = -1;
      this.update({ links: this.traits.links.map((g) => g.filter((i) => !points.includes(i))).filter((g) => g.length > 1) });
      this.supervised(`forget ${points.length} points`);
    }
    if (name === "undo") this.update({ redo: this.traits.undo, undo: "" });
    if (name === "redo") this.update({ undo: this.traits.redo, redo: "" });
    if (name === "switch") this.update({ method: a.method });
    if (name === "snapshot") {
      const called = a.name ?? `snapshot ${this.traits.snapshots.length + 1}`;
      this.kept[called] = Float32Array.from(this.positions);
      this.update({ snapshots: [...this.traits.snapshots, { name: called, method: this.traits.method, parameters: "α 1", iteration: this.traits.iteration, labeled: 0, cost: 1.25, quality: 0.5, drawn: true }] });
    }
    if (name === "rename_snapshot") {
      this.kept = Object.fromEntries(Object.entries(this.kept).map(([called, places]) => [called === a.old ? a.new : called, places]));
      this.update({ snapshots: this.traits.snapshots.map((each) => (each.name === a.old ? { ...each, name: a.new } : each)) });
    }
    if (name === "delete_snapshot") {
      delete this.kept[a.name];
      this.update({ snapshots: this.traits.snapshots.filter((each) => each.name !== a.name) });
    }
    const shown = this.traits.compared ?? { onto: "", view: "side", by_change: false };
    if (name === "compare") this.update({ compared: { ...shown, snapshot: a.snapshot, onto: a.onto ?? "" }, second: null });
    if (name === "compare_live") {
      this.update({
        compared: { ...shown, snapshot: "", onto: "" },
        second: { method: a.method, controls: this.traits.controls, parameters: { alpha: 1, rho: 0.5 }, state: "running", making: "", problem: "" },
      });
    }
    if (name === "show_comparison") this.update({ compared: { ...shown, ...a } });
    if (name === "end_comparison") this.update({ compared: null, second: null });
    if (name === "set_second") this.update({ second: { ...this.traits.second, parameters: { ...this.traits.second.parameters, ...a } } });
    if (name === "map_of") {
      const widget = `anywidget:${children.size + 1}`;
      children.set(widget, new FakeKernel({ n: points.length, clusters: 2, seed: 7 }));
      const place = Math.max(-1, ...this.traits.child_maps.map((map) => map.place)) + 1;
      this.update({ child_maps: [...this.traits.child_maps, { widget, name: `${points.length} points`, new: 0, prepared: false, place }] });
    }
    if (name === "prepare_column") this.prepare(this.table.map((column, k) => (k === a.column ? { ...column, ...a } : column)), this.standardized);
    if (name === "standardize") this.prepare(this.table, a.on);
    if (name === "close_map") this.update({ child_maps: this.traits.child_maps.filter(({ widget }) => widget !== a.widget) });
    if (name === "show_path_step") this.update({ chosen_step: a.index });
    this.applied = { ...this.applied, [client]: request };
    this.replied[name] = (this.replied[name] ?? 0) + 1;
    this.custom({ type: "reply", request, client, ok: true, error: null });
  }

  // A map of the same points with these columns, in the place of another such map.
  prepare(table, standardized) {
    const [widget, whole] = [`anywidget:${children.size + 1}`, this.whole ?? this];
    const child = new FakeKernel({ n: this.n, clusters: this.clusters, seed: 7, data_note: `prepared ${children.size}` });
    Object.assign(child, { table, standardized, whole, widget, positions: this.positions.slice() });
    child.traits.coordinates = view(child.positions);
    children.set(widget, child);
    const before = whole.traits.child_maps.find((map) => map.widget === this.widget);
    const place = before?.place ?? whole.traits.child_maps.length;
    const made = { widget, name: `prepared ${children.size}`, new: 0, prepared: true, place };
    whole.update({ child_maps: before ? whole.traits.child_maps.map((map) => (map === before ? made : map)) : [...whole.traits.child_maps, made] });
  }

  // What is known of a point; tests set `about` to more than its name.
  nameOf(point) {
    return this.traits.named ? (this.about[point]?.name ?? `Point ${point}`) : "";
  }

  card({ client, point }) {
    const { rows = [], neighbors = [], high = [], low = [], labeled = [], left_out = 0, problem = "", image } = this.about[point] ?? this.about.all ?? {};
    this.custom({ type: "card", client, point, name: this.nameOf(point), rows, left_out, neighbors, high, low, labeled, problem }, image ? [Uint8Array.from(image)] : []);
  }

  addClass(name) {
    const k = this.traits.classes.length;
    this.update({ classes: [...this.traits.classes, { name, color: COLORS[k % 10], symbol: SYMBOLS[k % 10], hidden: false, place: k }] });
  }

  dropClass(name, into) {
    const { classes } = this.traits;
    const [gone, kept] = [name, into].map((n) => classes.findIndex((c) => c.name === n));
    this.codes = this.codes.map((k) => (k === gone ? kept : k)).map((k) => (k > gone ? k - 1 : k));
    const place = classes[gone].place;
    this.update({ classes: classes.filter((c) => c.name !== name).map((c) => ({ ...c, place: c.place - (c.place > place ? 1 : 0) })) });
    this.supervised(into === null ? `remove the class ${name}` : `merge ${name} into ${into}`);
  }

  // The toy's suggestion: the class of the point's cluster, surer with the index; some have none.
  suggestions() {
    const K = Math.max(this.traits.classes.length, 1);
    const classes = Uint16Array.from(this.truth, (c) => c % K);
    const sureness = Uint8Array.from({ length: this.n }, (_, i) => (i % 40 === 39 ? 0 : 1 + Math.round(100 + (98 * i) / this.n)));
    const doubtful = Uint32Array.from({ length: this.n }, (_, i) => i).filter((i) => this.codes[i] < 0).sort((i, j) => sureness[i] - sureness[j]).slice(0, 60);
    const second = Uint16Array.from(doubtful, (i) => (classes[i] + 1) % K);
    const suspicious = Uint32Array.from(this.wrong.filter((i) => this.codes[i] >= 0 && this.codes[i] !== this.truth[i] % K));
    const instead = Uint16Array.from(suspicious, (i) => classes[i]);
    // Each label is foretold, the first of each class wrongly.
    const given = [...this.codes.keys()].filter((i) => this.codes[i] >= 0 && !this.accepted.has(i));
    const foretold = Uint8Array.from(given, () => 181);
    const rightly = Uint8Array.from(given, (i) => Number(given.some((j) => j < i && this.codes[j] === this.codes[i])));
    return { classes, sureness, doubtful, second, suspicious, instead, foretold, rightly };
  }

  suggest(more = {}) {
    if (!this.suggesting) return;
    const labeled = this.codes.some((k) => k >= 0);
    const { classes, sureness, doubtful, second, suspicious, instead, foretold, rightly } = this.suggestions();
    const answers = this.check?.map((p) => (this.accepted.has(p) ? -1 : this.codes[p])) ?? [];
    const answered = answers.filter((k) => k >= 0).length;
    const right = answers.filter((k, i) => k >= 0 && k === classes[this.check[i]]).length;
    const check = this.check && { points: this.check, answers, answered, accuracy: answered ? right / answered : null, low: 0.5, high: 1, confidence: this.checkedFrom };
    this.custom({ type: "suggestions", state: labeled ? "ready" : "none", error: "", making: "", share: null, check, ...more }, labeled ? [classes, sureness, doubtful, second, suspicious, instead, foretold, rightly] : []);
  }

  supervised(undo) {
    setTimeout(() => this.suggest(), 1);
    this.update({
      label_codes: view(this.codes), label_confidence: view(this.confidence), undo,
      controls: this.traits.controls.map((c) => ({ ...c, enabled: true, needs: "" })),
    });
  }

  play() {
    this.update({ state: "running" });
    clearInterval(this.timer);
    this.timer = setInterval(() => this.flying.size < 2 && this.tick(4), this.interval);
  }

  pause() {
    clearInterval(this.timer);
    this.update({ state: "paused", coordinates: view(this.positions) });
  }

  // One move towards clusters on a ring; more alpha, tighter clusters.
  tick(iterations = 1) {
    const { alpha = 1 } = this.traits.parameters;
    const spread = 2.6 / (0.6 + alpha);
    const rate = 1 - 0.985 ** iterations;
    for (let i = 0; i < this.n; i++) {
      const angle = (2 * Math.PI * this.truth[i]) / this.clusters;
      const r = this.truth[i] % 3 ? 9 : 5.5;
      const tx = r * Math.cos(angle) + spread * this.noise[2 * i];
      const ty = r * Math.sin(angle) + spread * this.noise[2 * i + 1];
      this.positions[2 * i] += rate * (tx - this.positions[2 * i]);
      this.positions[2 * i + 1] += rate * (ty - this.positions[2 * i + 1]);
    }
    this.traits.iteration += iterations;
    this.frame();
  }

  frame(more = {}, buffers = []) {
    const seq = ++this.seq;
    this.flying.add(seq);
    const t = this.traits.iteration;
    const { directions, direction_colors, borders, centers, center_names, center_colors } = this.traits;
    this.custom({
      type: "frame", seq, version: ++this.version, iteration: t, cost: 0.7 + 2.4 * Math.exp(-t / 90),
      quality: 0.9 - 0.8 * Math.exp(-t / 120), state: this.traits.state, applied: this.applied,
      directions, direction_colors, borders, centers, center_names, center_colors, ...more,
      ...this.range,
    }, [this.packed, ...buffers]);
    return seq;
  }

  // As the kernel does: 16-bit numbers for many points that move, unless the page needs more.
  get quantized() {
    return this.n > 10000 && this.traits.state === "running" && !this.precise;
  }

  get range() {
    if (!this.quantized) return {};
    const range = [Infinity, Infinity, -Infinity, -Infinity];
    this.positions.forEach((v, i) => {
      range[i % 2] = Math.min(range[i % 2], v);
      range[2 + (i % 2)] = Math.max(range[2 + (i % 2)], v);
    });
    return { range };
  }

  get packed() {
    if (!this.quantized) return this.positions;
    const { range } = this.range;
    return Uint16Array.from(this.positions, (v, i) => Math.round((65535 * (v - range[i % 2])) / (range[2 + (i % 2)] - range[i % 2])));
  }

  // Points of one toy cluster, as the page would select them.
  cluster(k) {
    return this.truth.flatMap((c, i) => (c === k ? [i] : []));
  }
}

// Answers about other maps: a snapshot is where it was, and the second live map a little turned.
function comparing(k) {
  const places = (snapshot) => {
    if (snapshot) return k.kept[snapshot];
    const [c, s] = [Math.cos(0.2), Math.sin(0.2)];
    return k.positions.map((v, i) => (i % 2 ? s * k.positions[i - 1] + c * v : c * v - s * k.positions[i + 1]));
  };
  return {
    thumbnails: () => {
      const names = Object.keys(k.kept);
      const points = Uint32Array.from({ length: k.n }, (_, i) => i);
      const numbers = names.flatMap((name) => Array.from(k.kept[name], (v) => Math.round(32768 + 2000 * v)));
      return [{ names }, [points, Uint16Array.from(numbers)]];
    },
    map_beside: ({ snapshot }) => {
      if (snapshot && !k.kept[snapshot]) return `${snapshot} is not there`;
      const fields = { version: 1, iteration: 77, cost: 2.5, quality: 0.25, disparity: 0.125, turn: -30.2, mirrored: true, scale: 1.25, range: [] };
      return [fields, [new Uint8Array(Float32Array.from(places(snapshot)).buffer)]];
    },
    map_change: ({ k: neighbors }) => [{ k: neighbors, mean: 0.4 }, [Uint8Array.from({ length: k.n }, (_, i) => (i < k.n / 2 ? 0 : Math.round((255 * i) / k.n)))]],
  };
}
