import { rm } from 'node:fs/promises'
import { ServiceError } from '#contract/core/errors.ts'
import { localError } from '../command/hinted-error.ts'
import { replaceFile } from '../command/replace-file.ts'
import type { Bundle, BundledSkill } from './bundle.ts'
import { type InstallOptions, planInstall } from './plan.ts'

/** `kept` is a file of an earlier version that this version does not have and that `why` keeps from being removed. */
export type Installed = { path: string; action: 'written' | 'unchanged' | 'removed' } | KeptFile
export type KeptFile = { path: string; action: 'kept'; why: string }

/**
 * Installs all files of a skill, then removes those of an earlier version that were not edited. If one file cannot be
 * written, throws CONFLICT and changes nothing.
 */
export async function install(bundle: Bundle, id: string, options: InstallOptions): Promise<Installed[]> {
  const steps = await planInstall(findSkill(bundle, id), bundle.releases, options)
  const errors = steps.flatMap((step) => (step.action === 'refuse' ? [{ path: step.path, message: step.why }] : []))
  if (errors.length > 0) throw new ServiceError('CONFLICT', `The skill ${id} was not installed.`, { errors })
  const done: Installed[] = []
  for (const step of steps) if (step.action !== 'remove') done.push(await apply(step))
  for (const step of steps) if (step.action === 'remove') done.push(await apply(step))
  return done
}

type Step = Awaited<ReturnType<typeof planInstall>>[number]

async function apply(step: Step): Promise<Installed> {
  const { path } = step
  switch (step.action) {
    case 'write':
      await change(`write ${path}`, () => replaceFile(step.target.real, step.bytes, step.target.mode))
      return { path, action: 'written' }
    case 'remove':
      await change(`remove ${path}`, () => rm(step.target.real, { force: true }))
      return { path, action: 'removed' }
    case 'keep':
      return { path, action: 'kept', why: step.why }
    default:
      return { path, action: 'unchanged' }
  }
}

export function findSkill({ skills }: Bundle, id: string): BundledSkill {
  const skill = skills.find((candidate) => candidate.id === id)
  if (skill) return skill
  throw new ServiceError('NOT_FOUND', `No such skill: ${id}. Skills: ${skills.map((one) => one.id).join(', ')}.`)
}

async function change(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (cause) {
    throw localError(`Cannot ${what}: ${(cause as Error).message}.`, cause)
  }
}
