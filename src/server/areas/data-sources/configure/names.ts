/** A name for a message: shortened, and without characters that would break a line or a terminal. */
export function shown(name: string): string {
  const clean = name.replaceAll(/\p{C}/gu, '\u{FFFD}')
  return clean.length > 80 ? `${clean.slice(0, 79).toWellFormed()}…` : clean
}

export function isSystemSchema(name: string): boolean {
  return name.startsWith('pg_') || name === 'information_schema'
}
