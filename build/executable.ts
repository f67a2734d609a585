import { createHash } from "node:crypto";
import type { TargetName } from "./targets.ts";
import { platformOf } from "./targets.ts";

/** What a program's headers say of it. */
export interface Executable {
  readonly format: "elf" | "mach-o" | "pe";
  readonly arch: "x64" | "arm64";
  /** The shared libraries it can't start without. */
  readonly libraries: readonly string[];
  /** ELF: the loader it asks the system for. */
  readonly interpreter?: string;
  /** ELF: the newest version of glibc's symbols it uses, such as 2.17. */
  readonly glibc?: string;
  /** Mach-O: the oldest macOS it runs on, such as 13.0. */
  readonly minimumMacos?: string;
  /** Mach-O: its signature, checked page by page; absent if there is none. */
  readonly signature?: Signature;
  /** PE: whether it has a console, as a program over standard input must. */
  readonly isConsole?: boolean;
}

/** A Mach-O signature, and how many of its page hashes the file still has. */
export interface Signature {
  readonly isAdHoc: boolean;
  readonly pages: number;
  readonly wrongPages: number;
  /** Whether the signed part reaches as far as the signature itself. */
  readonly coversAll: boolean;
}

const ARCHITECTURES: Readonly<Record<number, "x64" | "arm64">> = {
  62: "x64",
  183: "arm64",
  16777223: "x64",
  16777228: "arm64",
  34404: "x64",
  43620: "arm64",
};

/** Reads a 64-bit ELF, Mach-O or PE file's headers. Throws on anything else. */
export function parseExecutable(file: Buffer): Executable {
  if (file.readUInt32BE(0) === 0x7f454c46) return parseElf(file);
  if (file.readUInt32LE(0) === 0xfeedfacf) return parseMachO(file);
  if (file.readUInt16LE(0) === 0x5a4d) return parsePe(file);
  throw new Error("Cannot read the program: it is no 64-bit ELF, Mach-O or PE file");
}

/** Throws if a file isn't a program for this target. */
export function checkExecutable(target: TargetName, file: Buffer): Executable {
  const { os, arch, isMusl } = platformOf(target);
  const found = parseExecutable(file);
  const format = { linux: "elf", darwin: "mach-o", windows: "pe" }[os];
  const usesMusl = found.interpreter?.includes("musl") ?? false;
  if (found.format !== format || found.arch !== arch || usesMusl !== isMusl)
    throw new Error(
      `Cannot release ${target}: the file is ${found.format} for ${found.arch}, ${found.interpreter ?? ""}`,
    );
  if (found.isConsole === false) throw new Error(`Cannot release ${target}: the program has no console`);
  return found;
}

function architecture(number: number): "x64" | "arm64" {
  const arch = ARCHITECTURES[number];
  if (arch === undefined) throw new Error(`Cannot read the program: its architecture ${number} is none of ours`);
  return arch;
}

function textAt(file: Buffer, offset: number): string {
  return file.toString("latin1", offset, file.indexOf(0, offset));
}

/** A stretch of the file and where it lies in memory. */
interface Stretch {
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

function offsetOf(address: number, stretches: readonly Stretch[]): number {
  const stretch = stretches.find(({ address: from, size }) => address >= from && address < from + size);
  if (stretch === undefined) throw new Error(`Cannot read the program: nothing lies at ${address}`);
  return stretch.offset + address - stretch.address;
}

function parseElf(file: Buffer): Executable {
  const long = (offset: number): number => Number(file.readBigUInt64LE(offset));
  const [table, size, count] = [long(32), file.readUInt16LE(54), file.readUInt16LE(56)];
  const headers = Array.from({ length: count }, (_, at) => table + at * size).map((at) => ({
    type: file.readUInt32LE(at),
    offset: long(at + 8),
    address: long(at + 16),
    size: long(at + 32),
  }));
  const loaded = headers.filter(({ type }) => type === 1);
  const interpreter = headers.find(({ type }) => type === 3);
  const dynamic = headers.find(({ type }) => type === 2);
  const entries = Array.from({ length: (dynamic?.size ?? 0) / 16 }, (_, at) => (dynamic?.offset ?? 0) + at * 16).map(
    (at) => ({ tag: long(at), value: long(at + 8) }),
  );
  const valueOfTag = (tag: number): number => entries.find((entry) => entry.tag === tag)?.value ?? 0;
  const strings = valueOfTag(5) === 0 ? 0 : offsetOf(valueOfTag(5), loaded);
  const needed = valueOfTag(0x6ffffffe);
  const versions = needed === 0 ? [] : symbolVersions(file, offsetOf(needed, loaded), valueOfTag(0x6fffffff), strings);
  const glibc = versions
    .flatMap((version) => /^GLIBC_([\d.]+)$/.exec(version)?.[1] ?? [])
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
  return {
    format: "elf",
    arch: architecture(file.readUInt16LE(18)),
    libraries: entries.filter(({ tag }) => tag === 1).map(({ value }) => textAt(file, strings + value)),
    ...(interpreter === undefined ? {} : { interpreter: textAt(file, interpreter.offset) }),
    ...(glibc === undefined ? {} : { glibc }),
  };
}

/** The names of all symbol versions that an ELF file needs of its libraries. */
function symbolVersions(file: Buffer, first: number, count: number, strings: number): string[] {
  const names: string[] = [];
  for (let [library, at] = [0, first]; library < count; library++) {
    let symbol = at + file.readUInt32LE(at + 8);
    for (let left = file.readUInt16LE(at + 2); left > 0; left--) {
      names.push(textAt(file, strings + file.readUInt32LE(symbol + 8)));
      symbol += file.readUInt32LE(symbol + 12);
    }
    at += file.readUInt32LE(at + 12);
  }
  return names;
}

function parseMachO(file: Buffer): Executable {
  const libraries: string[] = [];
  let [minimumMacos, signature]: [string?, Signature?] = [];
  for (let [left, at] = [file.readUInt32LE(16), 32]; left > 0; left--) {
    const command = file.readUInt32LE(at) & 0x7fffffff;
    if (command === 0xc) libraries.push(textAt(file, at + file.readUInt32LE(at + 8)));
    if (command === 0x32) minimumMacos = `${file.readUInt16LE(at + 14)}.${file.readUInt8(at + 13)}`;
    if (command === 0x1d) signature = checkSignature(file, file.readUInt32LE(at + 8));
    at += file.readUInt32LE(at + 4);
  }
  return {
    format: "mach-o",
    arch: architecture(file.readUInt32LE(4)),
    libraries,
    ...(minimumMacos === undefined ? {} : { minimumMacos }),
    ...(signature === undefined ? {} : { signature }),
  };
}

function checkSignature(file: Buffer, start: number): Signature {
  const blobs = Array.from({ length: file.readUInt32BE(start + 8) }, (_, at) => start + 12 + at * 8);
  const directories = blobs.map((at) => start + file.readUInt32BE(at + 4));
  const at = directories.find((each) => file.readUInt32BE(each) === 0xfade0c02 && file[each + 37] === 2);
  if (at === undefined) throw new Error("Cannot read the signature: it has no SHA-256 code directory");
  const [hashes, pages, limit] = [16, 28, 32].map((field) => file.readUInt32BE(at + field)) as [number, number, number];
  const pageSize = 2 ** (file[at + 39] ?? 0);
  let wrongPages = 0;
  for (let page = 0; page < pages; page++) {
    const bytes = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
    const hash = createHash("sha256").update(bytes).digest();
    if (!hash.equals(file.subarray(at + hashes + page * 32, at + hashes + page * 32 + 32))) wrongPages++;
  }
  return { isAdHoc: (file.readUInt32BE(at + 12) & 2) !== 0, pages, wrongPages, coversAll: limit === start };
}

function parsePe(file: Buffer): Executable {
  const start = file.readUInt32LE(0x3c);
  if (file.readUInt32BE(start) !== 0x50450000) throw new Error("Cannot read the program: it is for DOS");
  const optional = start + 24;
  const table = optional + file.readUInt16LE(start + 20);
  const sections = Array.from({ length: file.readUInt16LE(start + 6) }, (_, at) => table + at * 40).map((at) => ({
    address: file.readUInt32LE(at + 12),
    offset: file.readUInt32LE(at + 20),
    size: file.readUInt32LE(at + 16),
  }));
  const libraries: string[] = [];
  for (let at = offsetOf(file.readUInt32LE(optional + 120), sections); file.readUInt32LE(at + 12) !== 0; at += 20)
    libraries.push(textAt(file, offsetOf(file.readUInt32LE(at + 12), sections)));
  return {
    format: "pe",
    arch: architecture(file.readUInt16LE(start + 4)),
    libraries,
    isConsole: file.readUInt16LE(optional + 68) === 3,
  };
}
