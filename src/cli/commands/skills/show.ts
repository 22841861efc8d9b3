import { ServiceError } from '#contract/core/errors.ts'
import type { Cli } from '../../cli.ts'
import type { Flags } from '../../command.ts'
import { loadBundle } from '../../skills/bundle.ts'
import { findSkill } from '../../skills/install.ts'

export async function run([id, path = 'SKILL.md']: readonly string[], _flags: Flags, cli: Cli): Promise<void> {
  const { files } = findSkill(await loadBundle(), id!)
  const file = files.find((known) => known.path === path)
  if (!file) {
    const known = files.map((one) => one.path).join(', ')
    throw new ServiceError('NOT_FOUND', `${id} has no file ${path}; it has ${known}`)
  }
  cli.print(file.text.trimEnd())
}
