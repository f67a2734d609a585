import { createHash, randomBytes } from "node:crypto";
import { slugOf } from "../core/id.ts";
import type { Config } from "./config.ts";
import type { Git } from "./git.ts";
import { findGitProgram, runGit } from "./git_process.ts";

/** Who writes in this checkout: the id for new threads, and all ids that are oneself. */
export interface Author {
  readonly id: string;
  readonly own: ReadonlySet<string>;
}

/** The author by git's user name and e-mail, so that one person keeps one id over clones and machines. */
export async function readAuthor(git: Git | undefined, folder: string, config: Config): Promise<Author> {
  const user = git === undefined ? await askOutside(folder) : await git.user();
  const name = slugOf(user?.name ?? "");
  const email = user?.email?.trim().toLowerCase() ?? "";
  const known = config.author ?? config.authors[0];
  const id = email === "" && known !== undefined ? known : `${name === "" ? "author" : name}-${digits(email)}`;
  return { id, own: new Set([id, ...(config.author === undefined ? [] : [config.author]), ...config.authors]) };
}

/** Outside a repository the user's own configuration still says who it is. */
async function askOutside(folder: string): Promise<Awaited<ReturnType<Git["user"]>>> {
  const program = findGitProgram(folder);
  if (program === undefined) return undefined;
  const ask = async (key: string): Promise<string | undefined> => {
    const { code, stdout } = await runGit(program, folder, ["config", "--get", key]);
    return code === 0 ? stdout.trimEnd() : undefined;
  };
  const [name, email] = await Promise.all([ask("user.name"), ask("user.email")]);
  return { name, email };
}

/** The id of a person by the name and e-mail of their commits; `undefined` without an e-mail, which can't be told again. */
export function authorIdOf(name: string, email: string): string | undefined {
  const address = email.trim().toLowerCase();
  const slug = slugOf(name);
  return address === "" ? undefined : `${slug === "" ? "author" : slug}-${digits(address)}`;
}

function digits(email: string): string {
  return email === "" ? randomBytes(2).toString("hex") : createHash("sha256").update(email).digest("hex").slice(0, 4);
}
