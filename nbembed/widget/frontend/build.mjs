// Bundles the Explorer's front end into ../static, which the Python package ships, together with
// the licenses of the libraries that went into it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { context } from "esbuild";

const watch = process.argv.includes("--watch");
const common = {
  outdir: "../static",
  bundle: true,
  minify: !watch,
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "info",
};

const builder = await context({
  ...common,
  entryPoints: [
    { in: "src/index.ts", out: "explorer" },
    { in: "css/explorer.css", out: "explorer" },
  ],
  metafile: true,
  format: "esm",
});

// A page without a kernel has it as an ordinary script.
const still = await context({
  ...common,
  entryPoints: [{ in: "src/still.ts", out: "still" }],
  format: "iife",
  globalName: "nbembedStill",
});

// A script in an output of a notebook.
const lost = await context({
  ...common,
  entryPoints: [{ in: "src/lost_widget.ts", out: "lost_widget" }],
  format: "iife",
});

if (watch) {
  await Promise.all([builder.watch(), still.watch(), lost.watch()]);
} else {
  const { metafile } = await builder.rebuild();
  for (const page of [still, lost]) {
    await page.rebuild();
    await page.dispose();
  }
  writeFileSync("../static/LICENSES.txt", licenses(Object.keys(metafile.inputs)));
  await builder.dispose();
}

// The license of every package of which a file was bundled.
function licenses(inputs) {
  const found = inputs.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const folders = [...new Set(found.filter(Boolean))].sort();
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = existsSync(folder) && readdirSync(folder).find((f) => /^licen[sc]e/i.test(f));
      if (!file) throw new Error(`${name} has no license file`);
      return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(78)}\n\n`);
}
