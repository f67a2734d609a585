import { crc32 } from "node:zlib";

/** One file of an archive; `path` has `/` between its parts. */
export interface Entry {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable?: boolean;
}

/** How hard to compress, 1 to 12; every level gives the same bytes on every machine. */
export type Level = 1 | 6 | 9 | 12;

// The first moment that a zip archive can name. Real times would make every build another.
const MODIFIED = Date.UTC(1980, 0, 1) / 1000;
const DOS_DATE = (1 << 5) | 1;
const BLOCK = 512;

/** A gzipped tar archive (ustar) whose files belong to root and are as old as every other's. */
export function renderTarGz(entries: readonly Entry[], level: Level): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const rest = entry.bytes.length % BLOCK;
    return [tarHeader(entry), entry.bytes, new Uint8Array(rest === 0 ? 0 : BLOCK - rest)];
  });
  return gzip(Buffer.concat([...parts, new Uint8Array(2 * BLOCK)]), level);
}

/** A zip archive that keeps the mark of executables for systems that know one. */
export function renderZip(entries: readonly Entry[], level: Level): Uint8Array {
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path, bytes, isExecutable } of entries) {
    const name = Buffer.from(path);
    const content = deflate(bytes, level);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(DOS_DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const unix = Buffer.alloc(14);
    unix.writeUInt32LE(((0o100000 | modeOf(isExecutable)) << 16) >>> 0, 6);
    unix.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, unix, name);
    files.push(Buffer.from("PK\x03\x04", "latin1"), common, name, content);
    offset += 4 + common.length + name.length + content.length;
  }
  const size = directory.reduce((all, part) => all + part.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}

function tarHeader({ path, bytes, isExecutable }: Entry): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(path) > 100) throw new Error(`Cannot archive ${path}: the name is longer than 100 bytes`);
  const octal = (value: number, at: number, width: number): void =>
    void header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "latin1");
  header.write(path, 0);
  octal(modeOf(isExecutable), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(MODIFIED, 136, 12);
  header.write("        0", 148, "latin1");
  header.write("ustar\x0000root", 257, "latin1");
  header.write("root", 297, "latin1");
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

function modeOf(isExecutable = false): number {
  return isExecutable ? 0o755 : 0o644;
}

function gzip(bytes: Uint8Array<ArrayBuffer>, level: Level): Uint8Array {
  return Bun.gzipSync(bytes, { level: level as 9, library: "libdeflate" });
}

/** What a gzip member holds between its header of 10 bytes and its trailer of 8. */
function deflate(bytes: Uint8Array, level: Level): Uint8Array {
  return gzip(Buffer.from(bytes), level).subarray(10, -8);
}
