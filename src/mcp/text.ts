/** A text as MCP content: the one place that makes it. */
export function textContent(text: string) {
  return { type: "text" as const, text };
}
