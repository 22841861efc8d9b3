/**
 * Splits names as SQL writes them: bare or in double quotes, but never folded to lower case. Returns undefined if the
 * quotes are unbalanced.
 */
export function splitNames(text: string, separator: '.' | ','): string[] | undefined {
  const part = new RegExp(`(?:\\s*"((?:[^"]|"")*)"\\s*|([^"${separator}]*))([${separator}]|$)`, 'y')
  const names: string[] = []
  for (;;) {
    const match = part.exec(text)
    if (!match) return undefined
    const [, quoted, bare = '', end] = match
    names.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'))
    if (end === '') return names
  }
}

export type TableName = { schema: string | undefined; name: string }

/** Reads `name` or `schema.name`. Returns undefined for anything else. */
export function readTableName(text: string): TableName | undefined {
  const parts = splitNames(text, '.')
  if (!parts || parts.length > 2 || parts.includes('')) return undefined
  return parts.length === 1 ? { schema: undefined, name: parts[0]! } : { schema: parts[0]!, name: parts[1]! }
}
