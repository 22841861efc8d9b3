export function localHeaders(fields: Readonly<Record<string, string>>): Headers {
  return new Headers(fields)
}
