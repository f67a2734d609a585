import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./fingerprint_table.ts";

// Blob ids by `printf 'blob <length>\0<content>' | sha1sum`, the long ones by `sha256sum`.
const A = "78981922613b2afb6025042ff6bd878ac1994e85"; // "a\n"
const B = "61780798228d17af2d34fce4cfbdf35556832472"; // "b\n"
const LOUD = "3bd504ceced4f54589dad30001d4393cf1243efc"; // "AB\n"
const LINES = "422c2b7ab3b3c668038da977e4e93a5fc623169c"; // "a\nb\n"
const LONG_A = "f8625e43f9e04f24291f77cdbe4c71b3c2a3b0003f60419b3ed06a058d766c8b"; // "a\n"
const LONG_LINK = "0efe919905516cae9a49c9b6d2728c6788da5c9133469312b2b5c053e78d1a6b"; // "a.txt"

const STRANGE_NAMES = [
  "[id].txt",
  'a"b.txt',
  "b c.txt",
  "d\te.txt",
  "café.txt",
  "-n",
  ":top",
  "日本.txt",
  "ﬀ.txt",
  "😀.txt",
];

/** The table's second part: names, contents that git changes, and longer ids. */
export const CONTENT_ROWS: readonly Row[] = [
  {
    name: "takes line ends as git stores them",
    arrange: ({ commit, write }) => {
      commit("Start", { ".gitattributes": "*.txt text\n", "src/a.txt": "start\n" });
      write("src/a.txt", "a\r\nb\r\n");
      write("src/new.txt", "a\r\nb\r\n");
    },
    paths: ["src"],
    tracked: [`100644 ${LINES}\tsrc/a.txt\n`],
    untracked: [`100644 ${LINES}\tsrc/new.txt\n`],
    fingerprint: "1-f801685c52f43fd7-12c62e39d3b3eec4",
  },
  {
    name: "takes content as a clean filter makes it",
    arrange: ({ git, commit, write }) => {
      git("config", "filter.loud.clean", "tr a-z A-Z");
      commit("Start", { ".gitattributes": "*.txt filter=loud\n", "src/a.txt": "start\n" });
      write("src/a.txt", "ab\n");
    },
    paths: ["src"],
    tracked: [`100644 ${LOUD}\tsrc/a.txt\n`],
    fingerprint: "1-dd200089c14cba5c",
  },
  {
    name: "takes names as they are, whatever they hold",
    arrange: ({ commit, write }) => {
      commit("Start", Object.fromEntries(STRANGE_NAMES.map((name) => [`src/${name}`, "start\n"])));
      for (const name of STRANGE_NAMES) write(`src/${name}`, "a\n");
      for (const name of STRANGE_NAMES) write(`src/new/${name}`, "b\n");
    },
    paths: ["src"],
    tracked: STRANGE_NAMES.map((name) => `100644 ${A}\tsrc/${name}\n`),
    untracked: STRANGE_NAMES.map((name) => `100644 ${B}\tsrc/new/${name}\n`),
    fingerprint: "1-89ff8d08b0845bb6-8b4fc13df58f727f",
  },
  {
    name: "takes names that begin with a quote or a blank",
    arrange: ({ commit, write }) => {
      commit("Start", { '"a".txt': "start\n", '"\\': "start\n", " b": "start\n" });
      for (const name of ['"a".txt', '"\\', " b", '"new']) write(name, "a\n");
    },
    paths: ["."],
    tracked: [`100644 ${A}\t"a".txt\n`, `100644 ${A}\t"\\\n`, `100644 ${A}\t b\n`],
    untracked: [`100644 ${A}\t"new\n`],
    fingerprint: "1-43b3939cc9c506fa-4c9a8bba85605b98",
  },
  {
    name: "leaves out names that hold a line break or aren't UTF-8",
    arrange: ({ top, git, commit, write }) => {
      const latin = (name: string): Buffer => Buffer.from(join(top, `${name}\xe9.txt`), "latin1");
      writeFileSync(latin("old"), "b\n");
      commit("Start", { "a.txt": "a\n", "line\nbreak.txt": "b\n", "return\r.txt": "b\n" });
      write("line\nbreak.txt", "a\n");
      write("new\n.txt", "b\n");
      writeFileSync(latin("new"), "b\n");
      git("add", "--intent-to-add", "new\n.txt");
    },
    paths: ["."],
    tracked: [`100644 ${A}\ta.txt\n`],
    fingerprint: "1-0ae07f78b5532243",
  },
  {
    name: "takes the longer ids of a SHA-256 repository",
    arrange: ({ top, commit, write }) => {
      commit("Start", { "src/a.txt": "start\n" });
      write("src/a.txt", "a\n");
      mkdirSync(join(top, "links"));
      symlinkSync("a.txt", join(top, "links/new"));
    },
    objectFormat: "sha256",
    paths: ["src", "links"],
    tracked: [`100644 ${LONG_A}\tsrc/a.txt\n`],
    untracked: [`120000 ${LONG_LINK}\tlinks/new\n`],
    fingerprint: "1-8b1cdb5683735702-cdd92122485cdd2a",
  },
  {
    name: "takes the longer ids of a SHA-256 repository for untracked links alone",
    arrange: ({ top, commit }) => {
      commit("Start", { "a.txt": "a\n" });
      mkdirSync(join(top, "links"));
      symlinkSync("a.txt", join(top, "links/new"));
    },
    objectFormat: "sha256",
    paths: ["links"],
    tracked: [],
    untracked: [`120000 ${LONG_LINK}\tlinks/new\n`],
    fingerprint: "1-e3b0c44298fc1c14-daa1b96abcd8c122",
  },
];
