import manifest from "../package.json" with { type: "json" };

/** The version of ThreadMind, as package.json states it. */
export const VERSION: string = manifest.version;

/** The address of the repository's page, without a trailing slash. */
export const REPOSITORY_URL: string = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
