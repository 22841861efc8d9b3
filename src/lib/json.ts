/** Returns undefined for text that is not JSON. The parser's error is dropped, because its message can quote the text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns undefined for text that is not a JSON object. */
export function tryParseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = tryParseJson(text)
  return isRecord(value) ? value : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
