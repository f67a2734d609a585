/** A recognisable secret: what kind, and the 1-based line it stands on. */
export interface Secret {
  readonly kind: string;
  readonly line: number;
}

/** Published shapes of private keys and provider tokens; nothing is guessed from how random a text looks. */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\bPuTTY-User-Key-File-[23]: /],
  ["an age key", /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/],
  ["a GitLab token", /\bgl(?:pat|dt|rt|ptt|cbt|soat|oas|ft|imt|agent)-[A-Za-z0-9_-]{20,}/],
  ["a Slack token", /\bxox[abeoprs]-\d[A-Za-z0-9-]{19,}|\bxapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{40,}/],
  ["a Slack webhook", /\bhooks\.slack\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]{20,}/],
  ["a Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/],
  ["a Google OAuth secret", /\bGOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/],
  ["an Anthropic key", /\bsk-ant-[A-Za-z0-9_-]{20,}/],
  ["an OpenAI key", /\bsk-(?:proj-|svcacct-|admin-)[A-Za-z0-9_-]{40,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a PyPI token", /\bpypi-AgE[A-Za-z0-9_-]{50,}/],
  ["a SendGrid key", /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/],
  ["a DigitalOcean token", /\bdo[opr]_v1_[a-f0-9]{64}\b/],
  ["a Docker Hub token", /\bdckr_pat_[A-Za-z0-9_-]{27,}/],
  ["a Hugging Face token", /\bhf_[A-Za-z0-9]{34,}\b/],
  ["a Shopify token", /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/],
  ["a HashiCorp Vault token", /\bhv[sbr]\.[A-Za-z0-9_-]{24,}/],
  ["a Databricks token", /\bdapi[a-f0-9]{32}\b/],
  ["an Azure storage key", /\bAccountKey=[A-Za-z0-9+/]{86}==/],
];

/** The first secret in a text. */
export function findSecret(text: string): Secret | undefined {
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const shape = SHAPES.find(([, pattern]) => pattern.test(line));
    if (shape !== undefined) return { kind: shape[0], line: index + 1 };
  }
  return undefined;
}
