import manifest from "../package.json" with { type: "json" };
import { REPOSITORY_URL, VERSION } from "../src/version.ts";

const [summary = "", details = ""] = manifest.description.split(/: (.*)/s);
const { hostname, pathname } = new URL(REPOSITORY_URL);
const [, owner = "", repository = ""] = pathname.split("/");
const [tld, ...domain] = hostname.split(".").toReversed();
const forge = domain[0] ?? "";

/** What every channel says of ThreadMind: all of it comes from package.json. */
export const RELEASE = {
  version: VERSION,
  tag: `v${VERSION}`,
  title: "ThreadMind",
  program: "threadmind",
  /** the npm package, and the server where a name has no blanks */
  packageName: manifest.name,
  /** the server's name in the MCP Registry: the forge's domain backwards, the owner, the repository */
  registryName: `${tld === "com" && forge === "github" ? "io" : tld}.${domain.join(".")}.${owner}/${repository}`,
  /** where the repository is kept, as the MCP Registry names it */
  forge,
  repository: REPOSITORY_URL,
  /** where the files of this version are */
  downloads: `${REPOSITORY_URL}/releases/download/v${VERSION}`,
  /** one sentence without a full stop, at most 80 characters */
  summary,
  description: `${summary}: ${details}`,
  author: "ThreadMind contributors",
  license: manifest.license,
  keywords: ["memory", "context", "git", "mcp"],
} as const;
