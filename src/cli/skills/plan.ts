import { instructionFiles, type Scope, skillFolders } from './agents.ts'
import { blockOf, findBlock, putBlock } from './block.ts'
import type { BundledSkill } from './bundle.ts'
import { inEndingsOf, toLf } from './line-endings.ts'
import { blockPlace, filePlace, type Releases, wasReleased } from './released.ts'
import { type Base, findTargetFile, type TargetFile } from './target-file.ts'
import { planVanished, type VanishedStep } from './vanished.ts'

/** The act of the installation on one file. */
type Step = { readonly path: string } & (
  | { readonly action: 'unchanged' }
  | { readonly action: 'write'; readonly target: TargetFile; readonly bytes: Buffer }
  | { readonly action: 'refuse'; readonly why: string }
  | VanishedStep
)

export type InstallOptions = { readonly base: Base; readonly force: boolean; readonly agents: boolean }

/** Plans the installation by looking at every file. Writes nothing. */
export async function planInstall(skill: BundledSkill, releases: Releases, options: InstallOptions): Promise<Step[]> {
  const { folder, scope } = options.base
  const files = skillFolders(folder, scope).flatMap((skillFolder) =>
    skill.files.map((file) => ({ ...file, shown: `${skillFolder}/${skill.id}/${file.path}` })),
  )
  const steps: Step[] = []
  for (const { path, text, shown } of files) {
    const allowed = (now: string) => options.force || wasReleased(releases, filePlace(skill.id, path), now)
    steps.push(await planAt(options.base, shown, (target) => planFile(target, text, allowed)))
  }
  for (const skillFolder of skillFolders(folder, scope)) {
    steps.push(...(await planVanished(skill, releases, options.base, `${skillFolder}/${skill.id}`)))
  }
  for (const path of options.agents ? instructionFiles(folder, scope) : []) {
    const allowed = (now: string) => options.force || wasReleased(releases, blockPlace(skill.id, scope), now)
    steps.push(await planAt(options.base, path, (target) => planBlock(target, skill.id, scope, allowed)))
  }
  return withoutDuplicates(steps)
}

type Outcome = { bytes: Buffer } | { why: string } | 'unchanged'
type Allowed = (now: string) => boolean

async function planAt(base: Base, path: string, decide: (target: TargetFile) => Outcome): Promise<Step> {
  const target = await findTargetFile(base, path)
  if (typeof target === 'string') return { path, action: 'refuse', why: target }
  const outcome = decide(target)
  if (outcome === 'unchanged') return { path, action: 'unchanged' }
  if ('why' in outcome) return { path, action: 'refuse', why: outcome.why }
  return { path, action: 'write', target, bytes: outcome.bytes }
}

function planFile({ before }: TargetFile, text: string, allowed: Allowed): Outcome {
  if (!before) return { bytes: Buffer.from(text) }
  const now = before.toString('utf8')
  if (toLf(now) === text) return 'unchanged'
  return allowed(now)
    ? { bytes: Buffer.from(inEndingsOf(now, text)) }
    : { why: 'was edited. Use --force to replace it' }
}

/** Plans the note in the user's own file. Reads it as latin1, so that no byte is lost whatever its encoding. */
function planBlock({ before }: TargetFile, id: BundledSkill['id'], scope: Scope, allowed: Allowed): Outcome {
  const now = before?.toString('latin1') ?? ''
  if (now.includes('\0')) return { why: 'is not text in UTF-8' }
  const found = findBlock(now, id)
  if (found === 'malformed') return { why: 'has svc markers that are not one complete pair. Repair or delete them' }
  const block = blockOf(id, scope)
  if (found !== 'absent' && found.text === block) return 'unchanged'
  if (found !== 'absent' && !allowed(found.text)) {
    return { why: 'has other text between the svc markers. Move it out, or use --force to replace it' }
  }
  return { bytes: Buffer.from(putBlock(now, found, block), 'latin1') }
}

/** Leaves out a second change of a file. Two folders can be the same when one is a link to the other. */
function withoutDuplicates(steps: readonly Step[]): Step[] {
  const seen = new Set<string>()
  return steps.filter((step) => {
    if (step.action !== 'write' && step.action !== 'remove') return true
    return !seen.has(step.target.real) && seen.add(step.target.real)
  })
}
