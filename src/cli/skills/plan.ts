import { instructionFiles, type Scope, skillFolders } from './agents.ts'
import { blockOf, findBlock, putBlock } from './block.ts'
import type { BundledSkill } from './bundle.ts'
import { inEndingsOf, toLf } from './line-endings.ts'
import { type Base, findPlace, type Place } from './place.ts'
import { blockPlace, filePlace, type Releases, wasReleased } from './released.ts'

/** What is to become of one file. */
type Step = { readonly path: string } & (
  | { readonly action: 'unchanged' }
  | { readonly action: 'write'; readonly place: Place; readonly bytes: Buffer }
  | { readonly action: 'refuse'; readonly why: string }
)

export type Wishes = { readonly base: Base; readonly force: boolean; readonly agents: boolean }

/** Looks at every file before any is written. */
export async function planInstall(skill: BundledSkill, releases: Releases, wishes: Wishes): Promise<Step[]> {
  const { folder, scope } = wishes.base
  const files = skillFolders(folder, scope).flatMap((skillFolder) =>
    skill.files.map((file) => ({ ...file, shown: `${skillFolder}/${skill.id}/${file.path}` })),
  )
  const steps: Step[] = []
  for (const { path, text, shown } of files) {
    const allowed = (now: string) => wishes.force || wasReleased(releases, filePlace(skill.id, path), now)
    steps.push(await planAt(wishes.base, shown, (place) => planFile(place, text, allowed)))
  }
  for (const path of wishes.agents ? instructionFiles(folder, scope) : []) {
    const allowed = (now: string) => wishes.force || wasReleased(releases, blockPlace(skill.id, scope), now)
    steps.push(await planAt(wishes.base, path, (place) => planBlock(place, skill.id, scope, allowed)))
  }
  return withoutTwins(steps)
}

type Outcome = { bytes: Buffer } | { why: string } | 'unchanged'
type Allowed = (now: string) => boolean

async function planAt(base: Base, path: string, decide: (place: Place) => Outcome): Promise<Step> {
  const place = await findPlace(base, path)
  if (typeof place === 'string') return { path, action: 'refuse', why: place }
  const outcome = decide(place)
  if (outcome === 'unchanged') return { path, action: 'unchanged' }
  if ('why' in outcome) return { path, action: 'refuse', why: outcome.why }
  return { path, action: 'write', place, bytes: outcome.bytes }
}

function planFile({ before }: Place, text: string, allowed: Allowed): Outcome {
  if (!before) return { bytes: Buffer.from(text) }
  const now = before.toString('utf8')
  if (toLf(now) === text) return 'unchanged'
  return allowed(now) ? { bytes: Buffer.from(inEndingsOf(now, text)) } : { why: 'was edited; --force replaces it' }
}

/** The file is the user's. It is read one character a byte, so that whatever its encoding no byte is lost. */
function planBlock({ before }: Place, id: BundledSkill['id'], scope: Scope, allowed: Allowed): Outcome {
  const now = before?.toString('latin1') ?? ''
  if (now.includes('\0')) return { why: 'is not text in UTF-8' }
  const found = findBlock(now, id)
  if (found === 'malformed') return { why: 'has markers of svc that are not one whole pair: mend or delete them' }
  const block = blockOf(id, scope)
  if (found !== 'absent' && found.text === block) return 'unchanged'
  if (found !== 'absent' && !allowed(found.text)) {
    return { why: 'has other words between the markers of svc: move them out, or --force replaces them' }
  }
  return { bytes: Buffer.from(putBlock(now, found, block), 'latin1') }
}

/** Two folders may be one, when one is a link to the other. */
function withoutTwins(steps: readonly Step[]): Step[] {
  const seen = new Set<string>()
  return steps.filter((step) => {
    if (step.action !== 'write') return true
    return !seen.has(step.place.real) && seen.add(step.place.real)
  })
}
