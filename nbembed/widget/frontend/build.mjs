// Bundles the Explorer's front end into ../static, which the Python package ships.
import { context } from "esbuild";

const watch = process.argv.includes("--watch");
const builder = await context({
  entryPoints: [
    { in: "src/index.ts", out: "explorer" },
    { in: "css/explorer.css", out: "explorer" },
  ],
  outdir: "../static",
  bundle: true,
  minify: !watch,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "eof",
  logLevel: "info",
});

if (watch) {
  await builder.watch();
} else {
  await builder.rebuild();
  await builder.dispose();
}
