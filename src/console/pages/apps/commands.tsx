import { Copy } from '#console/parts/copy.tsx'

/** Commands to copy into a terminal. */
export function Commands({ lines }: { lines: readonly string[] }) {
  return <Copy text={lines.join('\n')} isBlock />
}
