import { expect, test } from "bun:test";
import { findSecret } from "../../src/core/secrets.ts";
import { seeded } from "./seeded.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALPHANUMERIC = `${LETTERS}0123456789`;
const URL_SAFE = `${ALPHANUMERIC}-_`;
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const random = seeded(20260419);

/** Random characters, so that no token stands in this file as a whole. */
function some(count: number, alphabet: string = ALPHANUMERIC): string {
  return Array.from({ length: count }, () => random.pick([...alphabet])).join("");
}

const keyLine = (kind: string): string => `${"-".repeat(5)}BEGIN ${kind}${"-".repeat(5)}`;
const PRIVATE = "PRIVATE KEY";

const SECRETS: readonly (readonly [string, readonly string[]])[] = [
  [
    "a private key",
    [
      ...["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "].map((kind) => keyLine(kind + PRIVATE)),
      ...[keyLine(`PGP ${PRIVATE} BLOCK`), `PuTTY-User-Key-${"File"}-3: ssh-ed25519`],
    ],
  ],
  ["an age key", [`AGE-SECRET-${"KEY"}-1${some(58, UPPER)}`]],
  ["an AWS access key", [`AKIA${some(16, UPPER)}`, `ASIA${some(16, UPPER)}`]],
  [
    "a GitHub token",
    [..."pousr"].map((kind) => `gh${kind}_${some(36)}`).concat(`github_${"pat"}_${some(22)}_${some(59)}`),
  ],
  ["a GitLab token", ["pat", "dt", "rt", "ptt", "agent"].map((kind) => `gl${kind}-${some(20, URL_SAFE)}`)],
  [
    "a Slack token",
    [`xoxb-${some(12, "0123456789")}-${some(24)}`, `xapp-1-A${some(10, UPPER)}-${some(13, "123")}-${some(64, HEX)}`],
  ],
  ["a Slack webhook", [`https://hooks.slack.${"com"}/services/T${some(8, UPPER)}/B${some(8, UPPER)}/${some(24)}`]],
  ["a Stripe key", [`sk_${"live"}_${some(24)}`, `rk_${"live"}_${some(99)}`]],
  ["a Google API key", [`AIza${some(35, URL_SAFE)}`, `AIza${some(34)}-`, `AIza${some(34)}_`]],
  ["a Google OAuth secret", [`GOCSPX-${some(27)}-`]],
  ["an Anthropic key", [`sk-${"ant"}-api03-${some(93, URL_SAFE)}-${some(8)}`]],
  [
    "an OpenAI key",
    [`sk-${"proj"}-${some(74, URL_SAFE)}T3Blbk${some(74, URL_SAFE)}`, `sk-${some(20)}T3Blbk${"FJ"}${some(20)}`],
  ],
  ["an npm token", [`npm_${some(36)}`]],
  ["a PyPI token", [`pypi-${"AgE"}IcHlwaS5vcmc${some(90, URL_SAFE)}`]],
  ["a SendGrid key", [`SG.${some(22, URL_SAFE)}.${some(42, URL_SAFE)}-`]],
  ["a DigitalOcean token", [..."opr"].map((kind) => `do${kind}_v1_${some(64, HEX)}`)],
  ["a Docker Hub token", [`dckr_${"pat"}_${some(27, URL_SAFE)}`]],
  ["a Hugging Face token", [`hf_${some(34)}`]],
  ["a Shopify token", ["at", "ca", "pa", "ss"].map((kind) => `shp${kind}_${some(32, HEX)}`)],
  ["a HashiCorp Vault token", [`hvs.${some(90, URL_SAFE)}`]],
  ["a Databricks token", [`dapi${some(32, HEX)}`]],
  ["an Azure storage key", [`DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${some(86)}==;EndpointSuffix=y`]],
];

test("`findSecret()` finds each published shape and names its kind and line", () => {
  for (const [kind, tokens] of SECRETS) {
    for (const token of tokens) {
      const found = [token, `key: "${token}"`, `(${token}).`, `KEY=${token};`, `{"key":"${token}\\n"}`].map((line) =>
        findSecret(`## Decisions\r\n\n- x\r${line}\nend`),
      );
      for (const secret of found) expect([token.slice(0, 12), secret]).toEqual([token.slice(0, 12), { kind, line: 4 }]);
    }
  }
});

test("`findSecret()` names the first of several", () => {
  const text = ["- text", `- npm_${some(36)}`, keyLine(PRIVATE)].join("\n");
  expect(findSecret(text)).toEqual({ kind: "an npm token", line: 2 });
});

test("`findSecret()` finds nothing in what is shorter or longer than the shape", () => {
  const texts = [
    ...[
      `AKIA${some(15, UPPER)}`,
      `AKIA${some(17, UPPER)}`,
      `xAKIA${some(16, UPPER)}`,
      `AIza${some(34)}`,
      `AIza${some(36)}`,
    ],
    ...[`ghp_${some(35)}`, `npm_${some(35)}`, `npm_${some(37)}`, `sk_${"test"}_${some(24)}`, `sk-${some(48, LETTERS)}`],
    ...[keyLine("PUBLIC KEY"), keyLine("CERTIFICATE"), `dapi${some(31, HEX)}`, `AccountKey=${some(40)}==`, "hvs.short"],
  ];
  for (const text of texts) expect([text, findSecret(text)]).toEqual([text, undefined]);
});

test("`findSecret()` finds nothing in prose, code, ids and hashes", () => {
  const texts = [
    "The private key stays in the vault; tokens begin with ghp_, AKIA or sk-ant- and are never committed.",
    "Use `process.env.STRIPE_KEY` (sk_live_… in production) and github_pat_ tokens for CI.",
    "export const NPM_TOKEN = process.env.npm_config_registry_token_for_the_private_scope;",
    "npm_package_dependencies_typescript_version_and_more, hf_transformers_pipeline_batch",
    "task-ant-design-migration-of-all-the-tables-and-forms, risk-proj-planning-and-estimation-of-work-left",
    "3f2a9c1e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39 1-16f2a9c1e8b7d6a5-4e3d2c1b0a9f8e7d",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "550e8400-e29b-41d4-a716-446655440000 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "https://example.org/services/T000/B000/x https://hooks.slack.com/services/",
    "xoxb-your-token-for-the-workspace goes into the vault",
    "postgres://user@localhost:5432/db SG.region.example do_v1_migration",
    `![x](data:image/png;base64,${some(20_000, `${ALPHANUMERIC}+/`)})`,
    `${some(64, HEX)} ${some(40, HEX)} ${some(400, HEX)}`,
    "",
  ];
  for (const text of texts) expect([text.slice(0, 40), findSecret(text)]).toEqual([text.slice(0, 40), undefined]);
});

test("`findSecret()` takes time in proportion to the text", () => {
  const texts = ["-----BEGIN ", "A ", "xoxb-", "hooks.slack.com/services/T", "sk-", "SG.a"].map((unit) =>
    unit.repeat(200_000),
  );
  for (const text of texts) {
    const started = performance.now();
    expect(findSecret(text)).toBeUndefined();
    const spent = performance.now() - started;
    if (spent > 1500) throw new Error(`${text.slice(0, 12)}: ${spent} ms`);
  }
});
