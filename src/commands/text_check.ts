import { ThreadMindError } from "../errors.ts";
import { checkSecrets, findContentFault } from "./thread_write.ts";

/** Refuses a text, called `what` ("this reason"), that a summary would be refused for: no text, or with a secret in it. */
export function checkText(what: string, text: string): void {
  const fault = findContentFault(text, undefined);
  if (fault !== undefined)
    throw new ThreadMindError("invalid-content", `Cannot write ${what}: ${fault.why}.`, fault.hint);
  checkSecrets(what, text);
}
