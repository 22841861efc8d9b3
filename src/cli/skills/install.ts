import { ServiceError } from '#contract/core/errors.ts'
import type { Bundle, BundledSkill } from './bundle.ts'
import { planInstall, type Wishes } from './plan.ts'
import { replaceFile } from './replace-file.ts'

export type Installed = { path: string; action: 'written' | 'unchanged' }

/** All of it or, where one file stands against it, nothing. */
export async function install(bundle: Bundle, id: string, wishes: Wishes): Promise<Installed[]> {
  const steps = await planInstall(findSkill(bundle, id), bundle.releases, wishes)
  const errors = steps.flatMap((step) => (step.action === 'refuse' ? [{ path: step.path, message: step.why }] : []))
  if (errors.length > 0) throw new ServiceError('CONFLICT', `${id} was not installed`, { errors })
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
  throw new ServiceError(
    'NOT_FOUND',
    `there is no skill ${id} to install; there are ${skills.map((known) => known.id).join(', ')}`,
  )
}

async function write(path: string, replace: () => Promise<void>): Promise<void> {
  try {
    await replace()
  } catch (cause) {
    throw new ServiceError('INTERNAL', `cannot write ${path}: ${(cause as Error).message}`, { cause })
  }
}
