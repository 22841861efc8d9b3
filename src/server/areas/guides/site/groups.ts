import { resolveLink } from './links.ts'

/** Guides that stand together in the navigation, by their paths. */
export type GuideGroup = { readonly label: string; readonly paths: readonly string[] }

const README = 'README.md'

/** Reads the groups from the list under `## Guides` of the README: `- **Label**: [guide](path), …`. */
export function readGroups(readme: string): GuideGroup[] {
  const [, section = ''] = readme.split(/^## Guides$/m)
  const items = section
    .split(/^## /m)[0]!
    .split(/^- (?=\*\*)/m)
    .slice(1)
  return items.map((item) => ({
    label: /^\*\*(.+?)\*\*/.exec(item)![1]!,
    paths: [...item.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => pathOf(href!)),
  }))
}

function pathOf(href: string): string {
  const target = resolveLink(href, README)
  if (target.kind === 'outside') throw new Error(`${href} is listed as a guide in the README and is none`)
  return target.path
}
