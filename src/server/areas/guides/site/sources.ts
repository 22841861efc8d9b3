import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A Markdown file that is shown as a page. */
export type GuideSource = {
  /** Last part of its address. */
  readonly name: string
  /** Path from the root of the repository, with `/`. */
  readonly path: string
  readonly markdown: string
}

const PATTERNS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/*.md', 'docs/decisions/*.md']

/** Reads all guides of a checkout, in the order of their paths. */
export async function readGuides(root: string): Promise<GuideSource[]> {
  const paths = globSync(PATTERNS, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return Promise.all(
    paths
      .toSorted()
      .map(async (path) => ({ name: nameOf(path), path, markdown: await readFile(join(root, path), 'utf8') })),
  )
}

/** `docs/decisions/auth.md` becomes `decisions-auth`, and the README of a folder takes the name of the folder. */
function nameOf(path: string): string {
  const name = basename(path, '.md').toLowerCase()
  if (!path.startsWith('docs/decisions/')) return name
  return name === 'readme' ? 'decisions' : `decisions-${name}`
}
