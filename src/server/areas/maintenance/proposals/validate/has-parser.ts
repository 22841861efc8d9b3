/** Ends of the names of files that `parse-text.ts` parses. Apart from it, because loading its parsers takes long. */
const PARSED = ['js', 'jsx', 'cjs', 'mjs', 'ts', 'cts', 'mts', 'tsx', 'json', 'yaml', 'yml'] as const
export type Parsed = (typeof PARSED)[number]

export function hasParser(path: string): boolean {
  return PARSED.some((end) => end === endOf(path))
}

export function endOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase()
}
