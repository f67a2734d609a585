import { expect, test } from "bun:test";
import { pathOfRoot } from "../../src/io/workspace.ts";

const ROOTS: readonly (readonly [uri: string, unix: string | undefined, windows: string | undefined])[] = [
  ["file:///c%3A/Users/lee/my%20app", "/c:/Users/lee/my app", "C:\\Users\\lee\\my app"],
  ["file:///C:/Users/lee/my app", "/C:/Users/lee/my app", "C:\\Users\\lee\\my app"],
  ["file:///c:/x", "/c:/x", "C:\\x"],
  ["file:///C:", "/C:", "C:\\"],
  ["file:///C:/", "/C:/", "C:\\"],
  ["file://localhost/C:/x", "/C:/x", "C:\\x"],
  ["file://server/share/x", undefined, "\\\\server\\share\\x"],
  ["file://server/share/caf%C3%A9", undefined, "\\\\server\\share\\café"],
  ["file:///tmp/a%23b", "/tmp/a#b", undefined],
  ["file:///tmp/a#b?c", "/tmp/a#b?c", undefined],
  ["file:///tmp/a%3Fb", "/tmp/a?b", undefined],
  ["file:///tmp/caf%C3%A9", "/tmp/café", undefined],
  ["file:///tmp/café/日本", "/tmp/café/日本", undefined],
  ["file:///tmp/100%25", "/tmp/100%", undefined],
  ["FILE://LOCALHOST/tmp/x", "/tmp/x", undefined],
  ["file:///tmp/a/../b", "/tmp/b", undefined],
  ["file:///tmp/%2e%2e/etc", "/etc", undefined],
  ["file:///tmp/a%2Fb", undefined, undefined],
  ["file:///C:/a%5Cb", undefined, undefined],
  ["file:///tmp/a%00b", undefined, undefined],
  ["file:///tmp/%ZZ", undefined, undefined],
  ["file:///tmp/%FF", undefined, undefined],
  ["file:///tmp/%", undefined, undefined],
  ["untitled:Untitled-1", undefined, undefined],
  ["vscode-remote://wsl/x", undefined, undefined],
  ["https://example.org/x", undefined, undefined],
  ["C:\\x", undefined, undefined],
  ["/tmp/x", undefined, undefined],
  ["", undefined, undefined],
];

for (const [uri, unix, windows] of ROOTS) {
  test(`pathOfRoot() reads ${JSON.stringify(uri)}`, () => {
    expect([pathOfRoot(uri, false), pathOfRoot(uri, true)]).toEqual([unix, windows]);
  });
}
