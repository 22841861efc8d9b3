import { changeApp } from '#contract/apps/apps.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { givenSettings, type SettingFlags } from './settings.ts'

type Flags = OutputFlags & LoginFlags & SettingFlags

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const change = givenSettings(flags)
  if (change.name === undefined && Object.keys(change.settings).length === 0) {
    throw new ServiceError('INVALID_REQUEST', 'Nothing to change. Give --name, --build, --start or --health-path.')
  }
  const client = await openClient(flags, cli)
  const app = await client.call(changeApp, { alias, ...change })
  show(cli, flags.output, app, () => `Changed ${alias}.`)
  if (Object.keys(change.settings).length > 0) cli.note('The settings take effect with the next deploy.')
}
