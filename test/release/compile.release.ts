import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderTarGz, renderZip } from "../../build/archive.ts";
import { spawn } from "../support/binary.ts";
import { environment, temporaryFolder, temporaryHome } from "../support/temp.ts";
import { copyOfTree, copyPackages } from "./tree.ts";

test("the same sources give the same program, wherever they lie and whatever is around", async () => {
  const home = temporaryHome();
  const output = temporaryFolder("programs");
  for (const name of ["short", "a folder with a longer name/and one more"]) {
    const folder = copyOfTree(name);
    copyPackages(folder);
    const [cwd, zone] = name === "short" ? [folder, "UTC"] : [home, "Asia/Tokyo"];
    const env = environment(home, { TZ: zone, HOME: process.env.HOME });
    const command = [
      process.execPath,
      join(folder, "build/compile.ts"),
      "--output",
      join(output, name),
      "darwin-arm64",
    ];
    const { code, stderr } = await spawn(command, { cwd, env });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  }
  const [first, second] = ["short", "a folder with a longer name/and one more"].map((name) =>
    readFileSync(join(output, name, "darwin-arm64/threadmind")),
  ) as [Buffer, Buffer];
  expect(first.equals(second)).toBe(true);
});

test("archives depend on their files and nothing else", () => {
  const entries = [
    { path: "a/program", bytes: Buffer.from("x".repeat(1000)), isExecutable: true },
    { path: "a/README.md", bytes: Buffer.from("# É\n") },
  ];
  for (const render of [renderTarGz, renderZip]) expect(render(entries, 9)).toEqual(render(entries, 9));
  // Known sums: a change of Bun or of the format shows here, and then is a choice.
  const sums = [renderTarGz, renderZip].map((render) =>
    new Bun.CryptoHasher("sha256").update(render(entries, 9)).digest("hex"),
  );
  expect(sums).toMatchInlineSnapshot(`
    [
      "c03cdaa65d781bdd2b21fd180111cb8fd91c2fe1e4e1c4baee132c9452a947ac",
      "5810a0c4c48e27909f9cd0dc8269b593083ead9354afc90026e3d75eb824d0bd",
    ]
  `);
});
