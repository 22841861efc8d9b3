import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/**
 * Left out unless `.svcignore` names them with `!`: what is made from other files, what belongs to this machine, and
 * secrets, which are set with `svc apps env set`.
 */
const DEFAULT_RULES = ['node_modules', '.svc', '.hg', '.svn', '.DS_Store', '.env', '.env.local', '.env.*.local']

/** The rules of one folder. They apply to everything below it. */
type FolderRules = { readonly prefix: string; readonly matcher: Ignore }

/** Rules of a folder and of the folders above it, the nearest last. */
export type IgnoreRules = readonly FolderRules[]

/**
 * Adds the rules of a folder to those above it. `.svcignore` has the syntax of `.gitignore` and comes after it, so that
 * it can take back what `.gitignore` leaves out.
 */
export async function withRulesOf(above: IgnoreRules, folder: string, prefix: string): Promise<IgnoreRules> {
  const texts = await Promise.all(['.gitignore', '.svcignore'].map((name) => readIfThere(join(folder, name))))
  const isRoot = prefix === ''
  if (!isRoot && texts.every((text) => text === '')) return above
  const matcher = ignore().add(isRoot ? DEFAULT_RULES : [])
  for (const text of texts) matcher.add(text)
  return [...above, { prefix, matcher }]
}

/** Whether a path is left out. The nearest folder that has a matching rule decides. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean {
  for (const { prefix, matcher } of rules.toReversed()) {
    const { ignored, unignored } = matcher.test(`${path.slice(prefix.length)}${isFolder ? '/' : ''}`)
    if (ignored) return true
    if (unignored) return false
  }
  return false
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
