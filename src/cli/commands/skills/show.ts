import { ServiceError } from '#contract/core/errors.ts'
import type { Flags } from '../../command/command.ts'
import { loadBundle } from '../../skills/bundle.ts'
import { findSkill } from '../../skills/install.ts'
import type { Cli } from '../../terminal/cli.ts'

export async function run([id, path = 'SKILL.md']: readonly string[], _flags: Flags, cli: Cli): Promise<void> {
  const { files } = findSkill(await loadBundle(), id!)
  const file = files.find((candidate) => candidate.path === path)
  if (!file) {
    const paths = files.map((one) => one.path).join(', ')
    throw new ServiceError('NOT_FOUND', `The skill ${id} has no file ${path}. Its files: ${paths}.`)
  }
  cli.print(file.text.trimEnd())
}
