import { existsSync } from 'node:fs'
import { findClosingShell } from './start-process.ts'

/** Where bubblewrap is, or why processes cannot have it. */
export type FoundBubblewrap = { readonly bubblewrap: string } | { readonly missing: string }

const PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']

/**
 * Finds a bubblewrap that works here: it may be installed and still be refused by the kernel or by a container's
 * profile. `attempt` runs something with the options that are needed; its rejection may carry `stderr`.
 */
export async function findBubblewrap(
  attempt: (bubblewrap: string) => Promise<unknown>,
  places: readonly string[] = PLACES,
): Promise<FoundBubblewrap> {
  const bubblewrap = places.find((path) => existsSync(path))
  if (bubblewrap === undefined) return { missing: 'bubblewrap is not installed' }
  if (findClosingShell() === undefined) return { missing: 'bash is not installed' }
  try {
    await attempt(bubblewrap)
    return { bubblewrap }
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return { missing: `bubblewrap does not work here: ${output.slice(0, 200)}` }
  }
}

/**
 * Remembers what was found. Searches again after a failure, because a probe can fail for want of memory or descriptors.
 */
export function rememberFound(find: () => Promise<FoundBubblewrap>): () => Promise<FoundBubblewrap> {
  let search: Promise<FoundBubblewrap> | undefined
  return async () => {
    search ??= find()
    const found = await search
    if ('missing' in found) search = undefined
    return found
  }
}
