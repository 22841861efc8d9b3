import { ServiceError } from '#contract/core/errors.ts'
import type { Bundle, BundledSkill } from './bundle.ts'
import { type InstallOptions, planInstall } from './plan.ts'
import { replaceFile } from './replace-file.ts'

export type Installed = { path: string; action: 'written' | 'unchanged' }

/** Installs all files of a skill. If one file cannot be written, throws CONFLICT and writes nothing. */
export async function install(bundle: Bundle, id: string, options: InstallOptions): Promise<Installed[]> {
  const steps = await planInstall(findSkill(bundle, id), bundle.releases, options)
  const errors = steps.flatMap((step) => (step.action === 'refuse' ? [{ path: step.path, message: step.why }] : []))
  if (errors.length > 0) throw new ServiceError('CONFLICT', `The skill ${id} was not installed.`, { errors })
  const done: Installed[] = []
  for (const step of steps) {
    if (step.action === 'write') await write(step.path, () => replaceFile(step.place.real, step.bytes, step.place.mode))
    done.push({ path: step.path, action: step.action === 'write' ? 'written' : 'unchanged' })
  }
  return done
}

export function findSkill({ skills }: Bundle, id: string): BundledSkill {
  const skill = skills.find((known) => known.id === id)
  if (skill) return skill
  throw new ServiceError('NOT_FOUND', `No such skill: ${id}. Skills: ${skills.map((one) => one.id).join(', ')}.`)
}

async function write(path: string, replace: () => Promise<void>): Promise<void> {
  try {
    await replace()
  } catch (cause) {
    throw new ServiceError('INTERNAL', `Cannot write ${path}: ${(cause as Error).message}.`, { cause })
  }
}
