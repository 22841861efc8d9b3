/** Returns the name of a data source as its page shows it. */
export function sourceName(target: string): string {
  return target.replace(/^db_/, '')
}
